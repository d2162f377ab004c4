import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../testing/project.ts';
import { prepareRecordingIntervalQueries } from './recording-intervals.ts';

/** A time within one minute of the past. */
const at = (second: string) => `2026-11-21T08:00:${second}Z`;

test('no interval is opened for a deleted session', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const gone = { sessionId: uuidv7(), id: uuidv7(), recorderId: uuidv7(), fromAt: at('00.000') };
  await expect(intervals.insertInterval(gone)).resolves.toBeUndefined();
});

test('a start without a recorder opens the first gap, but not when an interval began before', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const recorderId = uuidv7();
  const gapStart = { sessionId, id: uuidv7(), recorderId, at: at('05.000'), before: at('07.000') };
  await intervals.insertGapStart(gapStart);
  await intervals.insertGapStart({ ...gapStart, sessionId: uuidv7() });
  const id = uuidv7();
  await intervals.insertInterval({ sessionId, id, recorderId, fromAt: at('07.000') });
  // A recorder that came second has found a participant too.
  await intervals.insertGapStart({
    ...gapStart,
    id: uuidv7(),
    at: at('01.000'),
    before: at('07.500'),
  });
  await intervals.endInterval({
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

test('a loss is cut out of the recorder’s intervals once, and the open interval stays open', async () => {
  await using project = await createTestProject();
  const intervals = prepareRecordingIntervalQueries(project);
  const sessionId = await project.newSession();
  const [recorderId, other] = [uuidv7(), uuidv7()];
  const ids = [uuidv7(), uuidv7(), uuidv7()] as const;
  const insert = async (id: string, recorder: string, from: string, to?: string) => {
    await intervals.insertInterval({ sessionId, id, recorderId: recorder, fromAt: at(from) });
    const end = { sessionId, id, endReason: 'connection_lost' };
    if (to) await intervals.endInterval({ ...end, toAt: at(to) });
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
