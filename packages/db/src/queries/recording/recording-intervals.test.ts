import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addInterval, addRecorder, ageHeartbeat } from '../../../testing/recorders.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { listCoverage } from './coverage.ts';
import { startRecorder } from './recorders.ts';
import {
  cutIntervals,
  endDeadIntervals,
  endInterval,
  insertGapStart,
  insertInterval,
  isIntervalEnded,
  isIntervalOfDead,
  isSessionRecorded,
  updateUnsure,
} from './recording-intervals.ts';
import { claimSlots } from './slots.ts';

/** A time within one minute of the past. */
const at = (second: string) => `2026-11-21T08:00:${second}Z`;

test('no interval is opened for a deleted session', async ({ project }) => {
  const gone = { sessionId: uuidv7(), id: uuidv7(), recorderId: uuidv7(), fromAt: at('00.000') };
  await expect(insertInterval(project, gone)).resolves.toBeUndefined();
});

test('a start without a recorder opens the first gap, but not when an interval began before', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const recorderId = uuidv7();
  const gapStart = { sessionId, id: uuidv7(), recorderId, at: at('05.000'), before: at('07.000') };
  await insertGapStart(project, gapStart);
  await insertGapStart(project, { ...gapStart, sessionId: uuidv7() });
  const id = uuidv7();
  await insertInterval(project, { sessionId, id, recorderId, fromAt: at('07.000') });
  // A second recorder has found a participant too.
  await insertGapStart(project, {
    ...gapStart,
    id: uuidv7(),
    at: at('01.000'),
    before: at('07.500'),
  });
  await endInterval(project, {
    sessionId,
    id,
    toAt: at('09.000'),
    endReason: 'connection_lost',
  });
  expect((await listCoverage(project, [sessionId]))[0]).toMatchObject({
    what: 'gap',
    from: at('05.000'),
    to: at('07.000'),
    reason: 'not_started',
  });
});

test('a start that a recorder reports where its own interval begins gives no later gap its reason', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const recorderId = uuidv7();
  const [start, died] = [at('05.000'), 'recorder_died'];
  const id = await addInterval(project, { sessionId, recorderId, fromAt: start });
  await insertGapStart(project, { sessionId, id: uuidv7(), recorderId, at: start, before: start });
  await endInterval(project, { sessionId, id, toAt: start, endReason: died });
  await addInterval(project, { sessionId, recorderId, fromAt: at('09.000') });
  const gap = (await listCoverage(project, [sessionId])).find(({ what }) => what === 'gap');
  expect(gap).toMatchObject({ from: start, to: at('09.000'), reason: died });
});

test('a loss is cut out of the recorder’s intervals once, and the open interval stays open', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [recorderId, other] = [uuidv7(), uuidv7()];
  const ids = [uuidv7(), uuidv7(), uuidv7()] as const;
  const insert = async (id: string, recorder: string, from: string, to?: string) => {
    await insertInterval(project, { sessionId, id, recorderId: recorder, fromAt: at(from) });
    const end = { sessionId, id, endReason: 'connection_lost' };
    if (to) await endInterval(project, { ...end, toAt: at(to) });
  };
  await insert(ids[0], recorderId, '01', '05');
  await insert(ids[1], recorderId, '06', '07');
  await insert(ids[2], recorderId, '08');
  await insert(uuidv7(), other, '01', '02');
  const loss = { from: at('04'), to: at('10.500'), endReason: 'storage_full' };
  for (const again of [1, 2]) {
    await cutIntervals(project, { sessionId, recorderId, ...loss });
    const rows = await project.sql`
      select id, to_char(from_at, 'SS.MS') as from, to_char(to_at, 'SS.MS') as to, end_reason as reason
      from recording_intervals where session_id = ${sessionId} order by from_at, to_at`;
    expect([again, ...rows]).toMatchObject([
      again,
      { from: '01.000', to: '02.000', reason: 'connection_lost' },
      { id: ids[0], from: '01.000', to: '04.000', reason: 'storage_full' },
      { id: ids[1], from: '06.000', to: '06.000', reason: 'storage_full' },
      { from: '08.000', to: '08.000', reason: 'storage_full' },
      { id: ids[2], from: '10.500', to: null },
    ]);
  }
});

test.each(['stalled', 'storage_full'])(
  'an interval of a dead recorder that is cut, %s, stays one: its words without an id are not stored twice',
  async (endReason) => {
    await using project = await createTestProject();
    const sessionId = await project.newSession();
    const [frozen, other] = [uuidv7(), uuidv7()];
    const interval = { sessionId, fromAt: at('01') };
    const end = { toAt: at('05'), endReason: 'recorder_died' };
    const id = await addInterval(project, { ...interval, recorderId: frozen, ...end });
    await addInterval(project, { ...interval, recorderId: other });
    const said = typedText(sessionId, { receivedAt: Date.parse(at('04.800')), intervalId: id });
    const cut = { sessionId, recorderId: frozen, from: at('04.500'), to: at('20'), endReason };
    for (const _ of [1, 2]) {
      await cutIntervals(project, cut);
      expect(await appendMessages(project, [said])).toMatchObject({ stored: 0 });
    }
    expect(await isIntervalEnded(project, { sessionId, id, at: at('04.500') })).toBe(true);
  },
);

/** The statements that end the intervals of a recorder that died. */
const ENDS = ['endDeadIntervals', 'claimSlots', 'startRecorder'] as const;

test.each(ENDS)(
  'a dead recorder’s interval ends where its oldest word in memory begins, and no other interval does, with %s',
  async (end) => {
    await using project = await createTestProject();
    const recorderId = await addRecorder(project);
    const sessionIds = [await project.newSession(), await project.newSession()];
    const claim = { limit: 9, capacity: 9 };
    await claimSlots(project, { recorderId, ...claim });
    const fromAt = at('01.000');
    const ids: string[] = [];
    for (const sessionId of sessionIds) {
      ids.push(await addInterval(project, { sessionId, recorderId, fromAt }));
    }
    const [sessionId = '', intervalId = ''] = [sessionIds[0], ids[0]];
    const mark = { sessionId, intervalId, unsureFrom: at('05.250') };
    expect(await updateUnsure(project, [mark])).toEqual([intervalId]);
    await project.sql`update recorders set flushed_at = ${at('31.000')}`;
    await ageHeartbeat(project, recorderId, 60_000);
    if (end === 'endDeadIntervals') await endDeadIntervals(project);
    else if (end === 'startRecorder') await startRecorder(project, { id: recorderId, capacity: 9 });
    else {
      const other = await addRecorder(project);
      await claimSlots(project, { recorderId: other, ...claim });
    }
    const rows = await project.sql`
      select session_id, to_char(to_at, 'SS.MS') as to, end_reason as reason
      from recording_intervals order by to_at`;
    expect(rows).toEqual([
      { session_id: sessionId, to: '05.250', reason: 'recorder_died' },
      { session_id: sessionIds[1], to: '31.000', reason: 'recorder_died' },
    ]);
  },
);

test('a mark is taken back, leaves ended and locked intervals alone, and waits for no lock', async ({
  project,
}) => {
  const recorderId = await addRecorder(project);
  const sessionId = await project.newSession();
  const insert = (toAt?: string) =>
    addInterval(project, { sessionId, recorderId, fromAt: at('01.000'), ...(toAt && { toAt }) });
  const [marked, ended, locked] = [await insert(), await insert(at('02.000')), await insert()];
  const marks = [marked, ended, locked, uuidv7()].map((intervalId) => ({
    sessionId,
    intervalId,
    unsureFrom: at('05.000'),
  }));
  await inTransaction(project, async ({ sql }) => {
    await sql`select 1 from recording_intervals where id = ${locked} for share`;
    expect(await updateUnsure(project, marks)).toEqual([marked]);
  });
  expect(await updateUnsure(project, marks)).toEqual(expect.arrayContaining([marked, locked]));
  await updateUnsure(project, [{ sessionId, intervalId: marked, unsureFrom: null }]);
  const rows = await project.sql`
    select id from recording_intervals where unsure_from is not null`;
  expect(rows).toEqual([{ id: locked }]);
});

test('until a late recorder reports again, the time since its oldest word in memory shows as a gap', async ({
  project,
}) => {
  const recorderId = await addRecorder(project);
  const sessionId = await project.newSession();
  const intervalId = await addInterval(project, { sessionId, recorderId, fromAt: at('01.000') });
  await updateUnsure(project, [{ sessionId, intervalId, unsureFrom: at('05.000') }]);
  await project.sql`update recorders set flushed_at = ${at('31.000')}`;
  await ageHeartbeat(project, recorderId, 2001);
  expect(await listCoverage(project, [sessionId])).toMatchObject([
    { what: 'coverage', to: at('05.000') },
    { what: 'gap', from: at('05.000'), reason: 'recorder_died' },
  ]);
  await ageHeartbeat(project, recorderId, -60_000);
  expect(await listCoverage(project, [sessionId])).toMatchObject([{ what: 'coverage' }]);
});

test('an interval that others have ended is known as one of a dead recorder, and no other interval is', async ({
  project,
}) => {
  const recorderId = await addRecorder(project);
  const sessionId = await project.newSession();
  const id = await addInterval(project, { sessionId, recorderId, fromAt: at('01') });
  const ended = await addInterval(project, {
    sessionId,
    recorderId,
    fromAt: at('01'),
    toAt: at('02'),
  });
  expect(await isIntervalOfDead(project, { sessionId, id })).toBe(false);
  await ageHeartbeat(project, recorderId, 60_000);
  await endDeadIntervals(project);
  expect(await isIntervalOfDead(project, { sessionId, id })).toBe(true);
  expect(await isIntervalOfDead(project, { sessionId, id: ended })).toBe(false);
  expect(await isIntervalEnded(project, { sessionId, id: ended, at: at('02') })).toBe(true);
  expect(await isIntervalEnded(project, { sessionId, id: ended, at: at('01.999') })).toBe(false);
});

test('a session is recorded while a live recorder has an open interval in it', async ({
  project,
}) => {
  const recorderId = await addRecorder(project);
  const sessionId = await project.newSession();
  const isRecorded = () => isSessionRecorded(project, sessionId);
  expect(await isRecorded()).toBe(false);
  await addInterval(project, { sessionId, recorderId, fromAt: at('01'), toAt: at('02') });
  expect(await isRecorded()).toBe(false);
  await addInterval(project, { sessionId, recorderId, fromAt: at('03') });
  expect(await isRecorded()).toBe(true);
  await ageHeartbeat(project, recorderId, 15_001);
  expect(await isRecorded()).toBe(false);
});

test('the locked interval of a dead recorder does not keep its other intervals from being ended', async ({
  project,
}) => {
  const recorderId = await addRecorder(project);
  const [locked, free] = [await project.newSession(), await project.newSession()];
  for (const sessionId of [locked, free]) {
    await addInterval(project, { sessionId, recorderId, fromAt: at('01.000') });
  }
  await ageHeartbeat(project, recorderId, 60_000);
  await inTransaction(project, async ({ sql }) => {
    await sql`select from recording_intervals where session_id = ${locked} for update`;
    expect(await endDeadIntervals(project)).toEqual([free]);
  });
  expect(await endDeadIntervals(project)).toEqual([locked]);
});
