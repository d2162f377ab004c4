import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../../testing/project.ts';
import { openDatabase } from '../../client.ts';
import { prepareMessageQueries } from '../messages/messages.ts';
import { prepareRecorderQueries } from './recorders.ts';
import { prepareRecordingIntervalQueries } from './recording-intervals.ts';
import { prepareRestoredHistoryQueries } from './restored-history.ts';

const iso = (ms: number) => new Date(ms).toISOString();

test('after a restore each ACTIVE session has a gap from where it was stored, and later messages are newer than any since', async () => {
  await using project = await createTestProject();
  const recorders = prepareRecorderQueries(project);
  const intervals = prepareRecordingIntervalQueries(project);
  const [recorded, unreached, closed] = await project.newSessions(3);
  if (!recorded || !unreached || !closed) throw new Error('three sessions were created');
  const recorderId = uuidv7();
  const { recorderEpoch: epoch } = await recorders.startRecorder({ id: recorderId, capacity: 9 });
  const now = Date.now();
  for (const sessionId of [recorded, closed])
    await intervals.insertInterval({
      sessionId,
      id: uuidv7(),
      recorderId,
      fromAt: iso(now - 9000),
    });
  const rest = { load: 1, isDraining: false, standbyAt: null, webhookAt: null, clockOffsetMs: 0 };
  const flushedAt = iso(now - 500);
  await recorders.updateHeartbeat({ id: recorderId, epoch, flushedAt, ...rest });
  await project.sessions.closeSession(closed, 'user');
  const { sql } = project;
  const [before] = await sql`select last_at from session_heads where session_id = ${closed}`;

  const done = await prepareRestoredHistoryQueries(project).closeRestoredHistory();
  expect(done).toMatchObject({ endedIntervals: 2, sessions: 2 });
  const restoredTo = String(done.restoredTo);
  // Once a recorder covers the sessions again, the gaps are over.
  const again = Date.now() + 1000;
  for (const sessionId of [recorded, unreached])
    await intervals.insertInterval({ sessionId, id: uuidv7(), recorderId, fromAt: iso(again) });
  const gaps = await intervals.listGaps([recorded, unreached]);
  const to = iso(again);
  const reason = 'restored';
  expect(gaps).toContainEqual({ sessionId: recorded, from: flushedAt, to, reason });
  expect(gaps).toContainEqual({ sessionId: unreached, from: restoredTo, to, reason });
  expect(gaps).toHaveLength(2);

  // A client may hold any time up to the clock and 1 s of the database that is lost.
  const since = Date.now();
  const said = { role: 'user', status: 'complete', kind: 'text', content: 'words' } as const;
  const row = { ...said, id: uuidv7(), sessionId: recorded, receivedAt: now - 400, metadata: null };
  await prepareMessageQueries(project).appendMessages([row], { waitForLocks: true });
  const [stored] = await sql`select "timestamp" as at from messages where id = ${row.id}`;
  expect(Date.parse(String(stored?.['at']))).toBeGreaterThan(since);
  const [after] = await sql`select last_at from session_heads where session_id = ${closed}`;
  expect(after).toEqual(before);
});

test('before the first recorder nothing was recorded, and no gap begins', async () => {
  await using project = await createTestProject();
  const sessionId = await project.newSession();
  const done = await prepareRestoredHistoryQueries(project).closeRestoredHistory();
  expect(done).toEqual({ restoredTo: null, endedIntervals: 0, sessions: 1 });
  expect(await prepareRecordingIntervalQueries(project).listCoverage([sessionId])).toEqual([]);
});

test('programs that are connected are named, and no other connection', async () => {
  await using project = await createTestProject();
  const queries = prepareRestoredHistoryQueries(project);
  expect(await queries.listConnectedPrograms()).toEqual([]);
  const applicationName = `recorder-${uuidv7()}`;
  await using recorder = openDatabase(project.url, { applicationName, connections: 1 });
  await recorder.sql`select 1`;
  expect(await queries.listConnectedPrograms()).toEqual([applicationName]);
});
