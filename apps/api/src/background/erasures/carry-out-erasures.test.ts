import { createHash } from 'node:crypto';
import * as db from '@session/db';
import { v4 as uuidv4 } from 'uuid';
import { expect } from 'vitest';
import type { TestApi } from '../../../testing/api.ts';
import { erase, finishErasures, said, erasureTest as test } from '../../../testing/erasure-test.ts';
import { deleteRows } from '../housekeeping/deleted-rows.ts';
import { carryOutErasures } from './carry-out-erasures.ts';

const EPOCH = '1970-01-01T00:00:00.000Z';

const digestOf = (ids: readonly string[]) =>
  createHash('sha256').update(ids.toSorted().join(',')).digest('hex');

test('the messages of an end user are erased in all sessions of the project, and those of nobody else', async ({
  api,
  ana,
  own,
  projectId,
}) => {
  const userId = uuidv4();
  const erased: string[] = [];
  const kept: string[] = [];
  const sessions: string[] = [];
  for (let number = 0; number < 3; number += 1) {
    const sessionId = await api.createSession(ana, projectId);
    sessions.push(sessionId);
    const mine = [said(sessionId, 'mine', `user-${userId}-${number}`)];
    const others = [said(sessionId, 'theirs', `user-${uuidv4()}`)];
    await db.appendMessages(api.deps.database, [...mine, ...others]);
    erased.push(...mine.map(({ id }) => id));
    kept.push(...others.map(({ id }) => id));
  }
  const elsewhere = await api.createSession(ana);
  await db.appendMessages(api.deps.database, [said(elsewhere, 'mine', `user-${userId}`)]);
  const { database } = api.deps;
  const [erasureId, requestedBy] = [uuidv4(), ana.id];
  const scope = { sessionId: null, messageIds: null, identity: null, userId };
  await db.insertErasure(database, { id: erasureId, projectId, requestedBy, ...scope });
  await finishErasures(api, own);
  const rows = await own.sql<{ id: string; content: string }[]>`select id, content from messages`;
  const contents = new Map(rows.map(({ id, content }) => [id, content]));
  expect(erased.map((id) => contents.get(id))).toEqual(['', '', '']);
  expect(kept.map((id) => contents.get(id))).toEqual(['theirs', 'theirs', 'theirs']);
  expect([...contents.values()].filter((content) => content === 'mine')).toHaveLength(1);
  const found = await db.findErasure(database, { id: erasureId, userId: ana.id });
  expect(found?.erasure).toMatchObject({
    status: 'done',
    counts: { sessions: 3, messages: 3 },
    digest: digestOf(erased),
  });
});

test('the next call continues where a call ran out of time, and the digest covers all messages', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const messages = Array.from({ length: 700 }, (_, number) => said(sessionId, `word ${number}`));
  await db.appendMessages(api.deps.database, messages);
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  // As after a crash, each call has only the state in the rows.
  for (let call = 0; call < 3; call += 1) await carryOutErasures(api.deps, { workMs: 1 });
  const found = await db.findErasure(own, { id, userId: ana.id });
  expect(found?.erasure).toMatchObject({ status: 'running', digest: null });
  await finishErasures(api, own);
  const done = await db.findErasure(own, { id, userId: ana.id });
  expect(done?.erasure).toMatchObject({
    counts: { messages: 700 },
    digest: digestOf(messages.map((message) => message.id)),
  });
  expect(
    await own.sql`
    select 1 from messages where session_id = ${sessionId} and content <> ''`,
  ).toHaveLength(0);
});

test('a message of the participant that was stored meanwhile is erased once all recorders have acknowledged', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const { database } = api.deps;
  const recorder = uuidv4();
  await db.startRecorder(database, { id: recorder, capacity: 1 });
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await carryOutErasures(api.deps);
  const late = said(sessionId, 'said just before');
  const now = said(sessionId, 'said after', 'user-1');
  const received = Date.now();
  await db.appendMessages(database, [{ ...late, receivedAt: received }]);
  await db.appendMessages(database, [{ ...now, receivedAt: received + 60_000 }]);
  await own.sql`
    update messages set "timestamp" = erasure.requested_at + case messages.id when ${late.id} then interval '1 s' else interval '1 min' end
    from erasures erasure where erasure.id = ${id} and messages.session_id = ${sessionId}`;
  await carryOutErasures(api.deps);
  const status = async () => (await db.findErasure(own, { id, userId: ana.id }))?.erasure.status;
  expect(await status()).toBe('waiting');
  await db.acknowledgeErasures(database, recorder, [id]);
  await own.sql`update erasures set requested_at = requested_at - interval '3500 ms'`;
  await own.sql`update messages set "timestamp" = "timestamp" - interval '3500 ms' where id = ${late.id}`;
  await carryOutErasures(api.deps);
  expect(await status()).toBe('done');
  const rows = await own.sql`
    select content from messages where session_id = ${sessionId} order by "timestamp"`;
  await own.sql`delete from recorders`;
  expect(rows).toEqual([{ content: '' }, { content: 'said after' }]);
});

test('an erasure that fails does not hold up others, and is retried', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const messages = [said(sessionId, 'one'), said(sessionId, 'two')];
  await db.appendMessages(api.deps.database, messages);
  for (const { id } of messages) await erase(api, ana, projectId, { sessionId, messageIds: [id] });
  await own.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refusing before update on messages for each row when (old.content = 'one') execute function refuse()`);
  await expect(carryOutErasures(api.deps)).rejects.toThrow('erasures failed');
  const contents = async () =>
    (
      await own.sql`select content from messages where session_id = ${sessionId} order by "timestamp"`
    ).map((row) => row['content']);
  expect(await contents()).toEqual(['one', '']);
  await own.sql.unsafe('drop function refuse cascade');
  await carryOutErasures(api.deps);
  expect(await contents()).toEqual(['', '']);
});

test('a long erasure does not hold up a short one of another project', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const other = await api.createProject(ana);
  const otherSession = await api.createSession(ana, other);
  const message = said(otherSession, 'one');
  await db.appendMessages(api.deps.database, [message]);
  await storeMany(api, sessionId, 3000);
  const long = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  const short = await erase(api, ana, other, { sessionId: otherSession, messageIds: [message.id] });
  // The short erasure has failed, so the long one is the first.
  await db.noteErasureFailure(own, short.id);
  // A statement erases at most 400 messages, so the long erasure takes the whole call.
  using time = timeOfErasing(300);
  await carryOutErasures(api.deps, { workMs: 1400, now: time.now });
  const statusOf = async (id: string) =>
    (await db.findErasure(own, { id, userId: ana.id }))?.erasure.status;
  const statuses = [await statusOf(long.id), await statusOf(short.id)];
  await own.sql`delete from erasures`;
  expect(statuses).toEqual(['running', 'waiting']);
});

test('the time that erasures do not need is left to a long one', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  for (let number = 0; number < 9; number += 1) {
    const idle = await api.createProject(ana);
    await erase(api, ana, idle, { sessionId: await api.createSession(ana, idle) });
  }
  // One more than a statement erases.
  await storeMany(api, sessionId, 401);
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  // The first statement takes the whole share of the long one, and there is time for ten.
  using time = timeOfErasing(400);
  await carryOutErasures(api.deps, { workMs: 4000, now: time.now });
  const found = await db.findErasure(own, { id, userId: ana.id });
  // The rows of the deleted sessions are not removed here.
  await own.sql`delete from erasures`;
  expect(found?.erasure.status).toBe('waiting');
});

test('a session is deleted as a whole, and its receipt stays', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const messages = [said(sessionId, 'one'), said(sessionId, 'two')];
  await db.appendMessages(api.deps.database, messages);
  const { id } = await erase(api, ana, projectId, { sessionId });
  await carryOutErasures(api.deps);
  expect((await api.inject(ana, { url: `/sessions/${sessionId}` })).statusCode).toBe(404);
  await deleteRows(api.deps);
  await finishErasures(api, own);
  expect(await own.sql`select 1 from messages where session_id = ${sessionId}`).toHaveLength(0);
  const answer = await api.inject(ana, { url: `/erasures/${id}` });
  expect(answer.json()).toMatchObject({
    status: 'done',
    digest: digestOf(messages.map((message) => message.id)),
    counts: { sessions: 1, messages: 2 },
  });
});

test('after erasures during writes, readers by `since` have what the table has, and no table has an erased word', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const { database } = api.deps;
  const sentByAda = Array.from({ length: 60 }, (_, number) =>
    said(sessionId, `zanzibar ${number}`, 'user-ada'),
  );
  const others = Array.from({ length: 60 }, (_, number) =>
    said(sessionId, `kept ${number}`, 'user-bea'),
  );
  const readers = [7, 100].map((limit) => ({
    limit,
    since: EPOCH,
    copy: new Map<string, string>(),
  }));
  const read = async () => {
    for (const reader of readers) {
      for (;;) {
        const { limit, since } = reader;
        const page = { sessionId, userId: ana.id, limit, since };
        const latest = await db.latestMessages(database, page);
        if (!latest || latest.messages.length === 0) break;
        for (const one of latest.messages) {
          expect(one.seenAt > reader.since).toBe(true);
          reader.since = one.seenAt;
          reader.copy.set(one.id, one.content);
        }
        reader.since = latest.nextSince;
      }
    }
  };
  const write = async () => {
    for (const [index, message] of sentByAda.entries()) {
      const pending = {
        ...message,
        status: 'pending' as const,
        content: message.content.slice(0, 8),
      };
      const receivedAt = Date.now();
      const both = [pending, others[index] ?? message];
      await db.appendMessages(
        database,
        both.map((one) => ({ ...one, receivedAt })),
      );
      if (index % 2 === 0) await db.appendMessages(database, [{ ...message, receivedAt }]);
    }
  };
  const eraseBeside = async () => {
    await erase(api, ana, projectId, { sessionId, identity: 'user-ada' });
    for (let turn = 0; turn < 5; turn += 1) {
      await carryOutErasures(api.deps);
      await read();
    }
  };
  await Promise.all([write(), eraseBeside(), read()]);
  await erase(api, ana, projectId, { sessionId, identity: 'user-ada' });
  await finishErasures(api, own);
  // A message that is sent again is not stored: by a completion, another recorder, a spool.
  for (const message of sentByAda) {
    const again = await db.appendMessages(database, [{ ...message, receivedAt: Date.now() }]);
    expect(again).toMatchObject({ stored: 0, conflicts: 0 });
  }
  await read();
  const rows = await own.sql<{ id: string; content: string }[]>`
    select id, content from messages where session_id = ${sessionId}`;
  const table = new Map(rows.map(({ id, content }) => [id, content]));
  expect(table.size).toBe(120);
  for (const { copy } of readers) expect(copy).toEqual(table);
  const tables = await own.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  for (const { name } of tables) {
    const found = await own.sql`
      select 1 from ${own.sql(name)} as one where one::text like '%zanzibar%'`;
    expect([name, found.length]).toEqual([name, 0]);
  }
});

async function storeMany({ deps }: TestApi, sessionId: string, length: number): Promise<void> {
  const messages = Array.from({ length }, () => said(sessionId, 'word'));
  await db.appendMessages(deps.database, messages);
}

/** A clock on which each statement that erases messages takes `ms`, and nothing else takes any time. */
function timeOfErasing(ms: number): Disposable & { readonly now: () => number } {
  let time = 0;
  const observing = db.observeStatements(({ name }) => {
    if (name === 'erase_messages') time += ms;
  });
  return { now: () => time, [Symbol.dispose]: () => observing[Symbol.dispose]() };
}
