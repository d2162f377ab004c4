import * as db from '@session/db';
import { expect } from 'vitest';
import { erase, finishErasures, said, erasureTest as test } from '../../../testing/erasure-test.ts';
import { startSequenceWork } from '../../../testing/numbered-room.ts';

const identity = 'Ada Lovelace';
const AT_ONCE = { everyMs: 10, firstMs: 0, againMs: 0, lastMs: 0 };

const numbered = (sessionId: string, q: string, n: number): db.NewMessageRow => {
  const message = said(sessionId, `word ${n}`, identity);
  return { ...message, metadata: { ...message.metadata, seq: { q, n } } };
};

test('messages of an erased participant that never arrived leave no trace of their sender', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const { database } = api.deps;
  const store = async (...messages: db.NewMessageRow[]) => {
    await db.appendMessages(database, messages);
    await db.markFollowers(database, [sessionId]);
  };
  const missing = async () =>
    (await api.inject(ana, { url: `/sessions/${sessionId}` })).json().recording.missing;
  {
    await using _ = startSequenceWork(database, AT_ONCE);
    await store(numbered(sessionId, 'declared', 1), numbered(sessionId, 'declared', 3));
    await expect
      .poll(() => own.sql`select 1 from messages where kind = 'recording_gap'`)
      .toHaveLength(1);
  }
  const fold = async () =>
    await db.foldSequences(database, await db.claimSequenceSessions(database, 60_000), 0);
  await store(numbered(sessionId, 'asked', 1), numbered(sessionId, 'asked', 3));
  await fold();
  expect(await missing()).toEqual([{ identity, count: 2 }]);
  await erase(api, ana, projectId, { sessionId, identity });
  await finishErasures(api, own);
  await db.markFollowers(database, [sessionId]);
  await fold();
  expect(await missing()).toEqual([]);
  // Nothing is asked for any more, so nothing more can be reported.
  expect(await own.sql`select from sender_sequences where next_at is not null`).toHaveLength(0);
  const tables = await own.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  for (const { name } of tables) {
    const found = await own.sql`
      select 1 from ${own.sql(name)} as one where one::text like ${`%${identity}%`}`;
    expect([name, found.length]).toEqual([name, 0]);
  }
});
