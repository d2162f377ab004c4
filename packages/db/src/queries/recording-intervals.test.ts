import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../testing/project.ts';
import { prepareRecorderQueries } from './recorders.ts';
import { prepareRecordingIntervalQueries } from './recording-intervals.ts';

/** A time within one minute of the past. */
const at = (second: string) => `2026-11-21T08:00:${second}Z`;

test('from the first connection to the close all is coverage or a gap, of many sessions at once', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const [sessionId, other, unheard] = [
    await project.newSession(),
    await project.newSession(),
    await project.newSession(),
  ];
  const record = async (session: string, from: string, to: string, endReason: string) => {
    const id = uuidv7();
    const interval = { sessionId: session, id };
    await intervals.insertInterval({ ...interval, recorderId: uuidv7(), fromAt: at(from) });
    await intervals.insertInterval({ ...interval, recorderId: uuidv7(), fromAt: at('00.000') });
    await intervals.closeInterval({ ...interval, toAt: at(to), endReason });
    await intervals.closeInterval({ ...interval, toAt: at('59.000'), endReason: 'again' });
  };
  // Someone was found who had joined before: a span of no length opens the whole.
  await record(sessionId, '01.000', '01.000', 'not_started');
  await record(sessionId, '02.500', '10.000', 'connection_lost');
  await record(sessionId, '05.000', '12.000', 'connection_lost');
  await record(sessionId, '20.000', '30.000', 'session_closed');
  await record(other, '40.000', '39.000', 'connection_lost');
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${at('30.000')}`;
  const spans = await intervals.listCoverage([sessionId, unheard, uuidv7()]);
  expect(spans.map(({ what, from, to, reason }) => [what, from, to, reason])).toEqual([
    ['gap', at('01.000'), at('02.500'), 'not_started'],
    ['coverage', at('02.500'), at('12.000'), null],
    ['gap', at('12.000'), at('20.000'), 'connection_lost'],
    ['coverage', at('20.000'), at('30.000'), null],
  ]);
  expect(new Set(spans.map((span) => span.sessionId))).toEqual(new Set([sessionId]));
  expect(await intervals.listCoverage([other])).toEqual([]);
});

test('an open interval lasts until now while its recorder lives, else until what that had stored', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const recorderId = uuidv7();
  await prepareRecorderQueries(project).startRecorder({ id: recorderId, capacity: 9 });
  const fromAt = at('00.000');
  await intervals.insertInterval({ sessionId, id: uuidv7(), recorderId, fromAt });
  await project.sql`update recorders set heartbeat_at = now() + interval '1 min'`;
  const [open, ...rest] = await intervals.listCoverage([sessionId]);
  expect([open, rest]).toEqual([
    {
      sessionId,
      what: 'coverage',
      from: fromAt,
      to: expect.stringMatching(/\.\d{3}Z$/),
      reason: null,
    },
    [],
  ]);
  await project.sql`update recorders set heartbeat_at = now() - interval '2.01 s', flushed_at = ${at('04.000')}`;
  expect(await intervals.listCoverage([sessionId])).toMatchObject([
    { what: 'coverage', from: fromAt, to: at('04.000') },
    { what: 'gap', from: at('04.000'), reason: 'recorder_died' },
  ]);
  await project.sql`update recorders set standby_at = ${at('03.000')}`;
  expect(await intervals.listCoverage([sessionId])).toMatchObject([
    { what: 'coverage', from: fromAt, to: at('03.000') },
    { what: 'gap', from: at('03.000'), reason: 'recorder_died' },
  ]);
});

test('two gaps around a connection that was hardly heard stay two', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  for (const [from, to] of [
    ['01.000', '02.000'],
    ['05.000', '05.000'],
    ['08.000', '09.000'],
  ] as const) {
    const interval = { sessionId, id: uuidv7() };
    await intervals.insertInterval({ ...interval, recorderId: uuidv7(), fromAt: at(from) });
    await intervals.closeInterval({ ...interval, toAt: at(to), endReason: 'recorder_died' });
  }
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${at('09.000')}`;
  const spans = await intervals.listCoverage([sessionId]);
  expect(spans.map(({ what, from, to }) => [what, from, to])).toEqual([
    ['coverage', at('01.000'), at('02.000')],
    ['gap', at('02.000'), at('05.000')],
    ['gap', at('05.000'), at('08.000')],
    ['coverage', at('08.000'), at('09.000')],
  ]);
});

test('an interval of a deleted session is not opened', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const gone = { sessionId: uuidv7(), id: uuidv7(), recorderId: uuidv7(), fromAt: at('00.000') };
  await expect(intervals.insertInterval(gone)).resolves.toBeUndefined();
});

test('coverage ends with the session, however long its last words were listened to', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const record = async (from: string, to: string) => {
    const interval = { sessionId, id: uuidv7() };
    await intervals.insertInterval({ ...interval, recorderId: uuidv7(), fromAt: at(from) });
    await intervals.closeInterval({ ...interval, toAt: at(to), endReason: 'session_closed' });
  };
  await record('01.000', '15.000');
  await record('11.000', '14.000');
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${at('10.000')}`;
  expect(await intervals.listCoverage([sessionId])).toMatchObject([
    { what: 'coverage', from: at('01.000'), to: at('10.000') },
  ]);
});

test('an unheard beginning opens the first gap, and none when the session was heard before', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const recorderId = uuidv7();
  const unheard = { sessionId, id: uuidv7(), recorderId, at: at('05.000'), before: at('07.000') };
  await intervals.insertGapStart(unheard);
  await intervals.insertGapStart({ ...unheard, sessionId: uuidv7() });
  const id = uuidv7();
  await intervals.insertInterval({ sessionId, id, recorderId, fromAt: at('07.000') });
  // A recorder that came second has found somebody too.
  await intervals.insertGapStart({
    ...unheard,
    id: uuidv7(),
    at: at('01.000'),
    before: at('07.500'),
  });
  await intervals.closeInterval({
    sessionId,
    id,
    toAt: at('09.000'),
    endReason: 'connection_lost',
  });
  expect((await intervals.listCoverage([sessionId]))[0]).toMatchObject({
    what: 'gap',
    from: at('05.000'),
    to: at('07.000'),
    reason: 'not_started',
  });
});

test('what was lost is cut out of what a recorder heard, once, and its open interval stays open', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const [recorderId, other] = [uuidv7(), uuidv7()];
  const ids = [uuidv7(), uuidv7(), uuidv7()] as const;
  const insert = async (id: string, recorder: string, from: string, to?: string) => {
    await intervals.insertInterval({ sessionId, id, recorderId: recorder, fromAt: at(from) });
    const end = { sessionId, id, endReason: 'connection_lost' };
    if (to) await intervals.closeInterval({ ...end, toAt: at(to) });
  };
  await insert(ids[0], recorderId, '01', '05');
  await insert(ids[1], recorderId, '06', '07');
  await insert(ids[2], recorderId, '08');
  await insert(uuidv7(), other, '01', '02');
  const loss = { from: at('04'), to: at('10.500'), endReason: 'storage_full' };
  for (const again of [1, 2]) {
    await intervals.cutIntervals({ sessionId, recorderId, ...loss });
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

test('a gap is told when it is over for good: not while it lasts, nor while a recorder may have heard it', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const open = async (from: string) => {
    const [recorderId, id] = [uuidv7(), uuidv7()];
    await prepareRecorderQueries(project).startRecorder({ id: recorderId, capacity: 9 });
    await intervals.insertInterval({ sessionId, id, recorderId, fromAt: at(from) });
    return { recorderId, sessionId, id };
  };
  const first = await open('01.000');
  await intervals.closeInterval({ ...first, toAt: at('04.000'), endReason: 'connection_lost' });
  expect(await intervals.listGaps([sessionId])).toEqual([]);
  const second = await open('02.000');
  const third = await open('08.000');
  expect(await intervals.listGaps([sessionId])).toEqual([]);
  expect(await intervals.closeDeadIntervals()).toEqual([]);
  await project.sql`
    update recorders set heartbeat_at = now() - interval '16 s', flushed_at = ${at('07.000')}, standby_at = ${at('06.000')}
    where id = ${second.recorderId}`;
  expect(await intervals.listGaps([sessionId])).toEqual([]);
  expect(await intervals.closeDeadIntervals()).toEqual([sessionId]);
  const gap = { sessionId, from: at('06.000'), to: at('08.000'), reason: 'recorder_died' };
  expect(await intervals.listGaps([sessionId])).toEqual([gap]);
  await intervals.closeInterval({ ...third, toAt: at('09.000'), endReason: 'recorder_stopped' });
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = ${at('10.000')}`;
  const last = { sessionId, from: at('09.000'), to: at('10.000'), reason: 'recorder_stopped' };
  expect(await intervals.listGaps([sessionId])).toEqual([gap, last]);
});
