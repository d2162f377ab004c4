import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { openDatabase } from '../../connection/client.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { latestMessages } from '../messages/latest-messages.ts';
import { closeSession } from '../sessions/session-end.ts';
import { listCoverage, listGaps } from './coverage.ts';
import { startRecorder, updateHeartbeat } from './recorders.ts';
import { endInterval, insertInterval } from './recording-intervals.ts';
import { closeRestoredHistory, listConnectedPrograms } from './restored-history.ts';

const iso = (ms: number) => new Date(ms).toISOString();

test('after a restore each ACTIVE session has a gap from where it was stored, and later messages are newer than any since', async ({
  project,
}) => {
  const [recorded, unreached, closed] = await project.newSessions(3);
  if (!recorded || !unreached || !closed) throw new Error('three sessions were created');
  const recorderId = uuidv7();
  const { recorderEpoch: epoch } = await startRecorder(project, { id: recorderId, capacity: 9 });
  const now = Date.now();
  for (const sessionId of [recorded, closed])
    await insertInterval(project, {
      sessionId,
      id: uuidv7(),
      recorderId,
      fromAt: iso(now - 9000),
    });
  const rest = { load: 1, isDraining: false, standbyAt: null, webhookAt: null, clockOffsetMs: 0 };
  const flushedAt = iso(now - 500);
  await updateHeartbeat(project, { id: recorderId, epoch, flushedAt, ...rest });
  await closeSession(project, closed, 'user');
  const { sql } = project;

  // A client may hold any time up to 1 s after the clock of the database that is lost.
  const since = Date.now() + 1000;
  const done = await closeRestoredHistory(project);
  expect(done).toMatchObject({ endedIntervals: 2, sessions: 2, closedSessions: [closed] });
  const restoredTo = String(done.restoredTo);
  // Once a recorder covers the sessions again, the gaps are over.
  const again = Date.now() + 1000;
  for (const sessionId of [recorded, unreached])
    await insertInterval(project, { sessionId, id: uuidv7(), recorderId, fromAt: iso(again) });
  const gaps = await listGaps(project, [recorded, unreached]);
  const to = iso(again);
  const reason = 'restored';
  expect(gaps).toContainEqual({ sessionId: recorded, from: flushedAt, to, reason });
  expect(gaps).toContainEqual({ sessionId: unreached, from: restoredTo, to, reason });
  expect(gaps).toHaveLength(2);

  // This also applies to a closed session: messages that wait on the disk of a recorder, or that PostgreSQL refused,
  // are stored there later.
  const said = { role: 'user', status: 'complete', kind: 'text', content: 'words' } as const;
  const rows = [recorded, unreached, closed].map((sessionId) => {
    return { ...said, id: uuidv7(), sessionId, receivedAt: now - 400, metadata: null };
  });
  await appendMessages(project, rows, { waitForLocks: true });
  const stored = await sql`select "timestamp" as at from messages`;
  expect(stored).toHaveLength(3);
  for (const { at } of stored) expect(Date.parse(String(at))).toBeGreaterThan(since);
});

test('after a restore a session without later messages shows the time of its last one', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const { sql, userId } = project;
  const head = () => sql`select last_at from session_heads where session_id = ${sessionId}`;
  const before = await head();
  // A reader with a later time has seen messages that are lost, and is reset.
  const later = { sessionId, userId, since: iso(Date.now() + 500), limit: 9 };
  await closeRestoredHistory(project);
  expect(await head()).toEqual(before);
  const reset = await latestMessages(project, later);
  expect(reset).toMatchObject({ isReset: true, messages: [] });
  const since = reset?.nextSince ?? '';
  // A pending message that grows, and a message that is completed, become visible again after every time that was ever
  // returned.
  const metadata = { participant: { identity: 'ana' } };
  const said = { role: 'user', kind: 'text', metadata, sessionId, id: uuidv7() } as const;
  const receivedAt = Date.now() - 60_000;
  const contents = ['a', 'ab', 'abc'] as const;
  const seen: string[] = [];
  for (const content of contents) {
    const status = content === 'abc' ? 'complete' : 'pending';
    const row = { ...said, status, content, receivedAt } as const;
    await appendMessages(project, [row], { waitForLocks: true });
    const latest = await latestMessages(project, { sessionId, userId, since, limit: 9 });
    seen.push(...(latest?.messages ?? []).map((message) => message.content));
  }
  expect(seen).toEqual(contents);
});

test('a second restore counts as the first: its floor is the later one', async ({ project }) => {
  const sessionId = await project.newSession();
  const { sql } = project;
  await closeRestoredHistory(project);
  await closeRestoredHistory(project);
  const floors = await sql<{ ms: number }[]>`
    select (extract(epoch from floor_at) * 1000)::float8 as ms from restores order by floor_at`;
  expect(floors).toHaveLength(2);
  const said = { role: 'user', status: 'complete', kind: 'text', content: 'words' } as const;
  const row = { ...said, id: uuidv7(), sessionId, receivedAt: 0, metadata: null };
  await appendMessages(project, [row], { waitForLocks: true });
  const [stored] = await sql<{ ms: number }[]>`
    select (extract(epoch from "timestamp") * 1000)::float8 as ms from messages`;
  expect(stored?.ms).toBe((floors[1]?.ms ?? 0) + 1);
});

test('a session that was left just before has a gap of what was not stored then; one that was left earlier has none', async ({
  project,
}) => {
  const [late, early] = await project.newSessions(2);
  if (!late || !early) throw new Error('two sessions were created');
  const recorderId = uuidv7();
  const { recorderEpoch: epoch } = await startRecorder(project, { id: recorderId, capacity: 9 });
  const now = Date.now();
  const flushedAt = iso(now - 300);
  const ends = { [late]: iso(now - 100), [early]: iso(now - 400) };
  for (const [sessionId, toAt] of Object.entries(ends)) {
    const id = uuidv7();
    await insertInterval(project, { sessionId, id, recorderId, fromAt: iso(now - 9000) });
    await endInterval(project, { sessionId, id, toAt, endReason: 'session_closed' });
  }
  const rest = { load: 1, isDraining: false, standbyAt: null, webhookAt: null, clockOffsetMs: 0 };
  await updateHeartbeat(project, { id: recorderId, epoch, flushedAt, ...rest });
  await closeRestoredHistory(project);
  const { sql } = project;
  const stored = await sql`
    select session_id as id, end_reason as reason, (extract(epoch from to_at) * 1000)::float8 as to
    from recording_intervals`;
  expect(new Map(stored.map(({ id, reason, to }) => [id, [reason, iso(Number(to))]]))).toEqual(
    new Map([
      [late, ['restored', flushedAt]],
      [early, ['session_closed', ends[early]]],
    ]),
  );
});

test('before the first recorder nothing was recorded, and no gap begins', async ({ project }) => {
  const sessionId = await project.newSession();
  const done = await closeRestoredHistory(project);
  const nothing = { endedIntervals: 0, sessions: 1, closedSessions: [] };
  expect(done).toEqual({ restoredTo: null, ...nothing });
  expect(await listCoverage(project, [sessionId])).toEqual([]);
});

test('programs that are connected are named, and no other connection', async ({ project }) => {
  expect(await listConnectedPrograms(project)).toEqual([]);
  const applicationName = `recorder-${uuidv7()}`;
  await using recorder = openDatabase(project.url, { applicationName, connections: 1 });
  await recorder.sql`select 1`;
  expect(await listConnectedPrograms(project)).toEqual([applicationName]);
});
