import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type NewMessageRow, openDatabase, prepareMessageQueries } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/test-stage.ts';
import { tempFolder } from '../../testing/recorder-process.ts';
import { fillDisk, openTestStorage, textMessage } from '../../testing/test-history.ts';
import type { Loss } from './queued-message.ts';
import type { StorageDeps } from './open-history.ts';

const never = new AbortController().signal;
const s = uuidv7();

/** A history in memory, which takes what it is told to. */
interface TestHistory {
  readonly batches: (readonly NewMessageRow[])[];
  /** What it throws for that batch; undefined when it takes it. */
  refusal: (batch: readonly NewMessageRow[]) => Error | undefined;
  readonly appendMessages: StorageDeps['queries']['appendMessages'];
}

function createHistory(): TestHistory {
  const history: TestHistory = {
    batches: [],
    refusal: () => undefined,
    async appendMessages(batch) {
      const error = history.refusal(batch);
      if (error) throw error;
      if (batch.length > 0) history.batches.push(batch);
      return { sessions: 1, stored: batch.length };
    },
  };
  return history;
}

const contentsOf = ({ batches }: TestHistory) => batches.flat().map(({ content }) => content);
const failure = (code?: string) => Object.assign(new Error('?'), code && { code });
const away = () => failure('ECONNREFUSED');
const numbers = (count: number) => Array.from({ length: count }, (_, number) => String(number));

test('500 at once in one statement, in their order, and what comes meanwhile in the next', async () => {
  const history = createHistory();
  const timing = { flushMs: 60_000, spoolMs: 60_000 };
  await using storage = await openTestStorage({ queries: history, timing });
  for (const text of numbers(1200)) storage.flush.push(textMessage(s, text));
  await until(() => history.batches.length === 2);
  await storage.flush.end(never);
  expect(history.batches.map(({ length }) => length)).toEqual([500, 500, 200]);
  expect(contentsOf(history)).toEqual(numbers(1200));
});

test('few messages wait for others no longer than they may', async () => {
  const history = createHistory();
  await using storage = await openTestStorage({ queries: history });
  storage.flush.push(textMessage(s, 'only one'));
  await storage.flush.stored(s, never);
  expect(contentsOf(history)).toEqual(['only one']);
});

test('what comes while the database is away waits on the disk, and is stored in its order', async () => {
  const history = createHistory();
  history.refusal = away;
  await using storage = await openTestStorage({ queries: history });
  const { flush } = storage;
  for (const text of ['a', 'b', 'c']) {
    flush.push(textMessage(s, text));
    const count = flush.spool.messages;
    await until(() => flush.spool.messages > count);
  }
  expect([flush.isDatabaseOk, flush.length, flush.lastFlushAt]).toEqual([false, 3, null]);
  history.refusal = () => undefined;
  flush.push(textMessage(s, 'd'));
  await flush.stored(s, never);
  expect(contentsOf(history)).toEqual(['a', 'b', 'c', 'd']);
  expect([flush.isDatabaseOk, flush.length]).toEqual([true, 0]);
});

test('what the database does not answer in time is on the disk before the answer comes', async () => {
  const history = createHistory();
  const answer = Promise.withResolvers<void>();
  const appendMessages = async (batch: readonly NewMessageRow[]) => {
    await answer.promise;
    return await history.appendMessages(batch);
  };
  const timing = { flushMs: 1, spoolMs: 5 };
  await using storage = await openTestStorage({ queries: { appendMessages }, timing });
  storage.flush.push(textMessage(s, 'a'));
  await until(() => storage.flush.spool.messages === 1);
  answer.resolve();
  await storage.flush.stored(s, never);
  // Both times under one id.
  expect(contentsOf(history)).toEqual(['a', 'a']);
});

test('what one process has spooled the next one stores, before what it hears itself', async () => {
  await using temp = await tempFolder();
  const history = createHistory();
  history.refusal = away;
  const spoolFolder = temp.folder;
  {
    await using storage = await openTestStorage({ queries: history, spoolFolder });
    storage.flush.push(textMessage(s, 'before'));
    await storage.flush.end(AbortSignal.timeout(20));
    expect(storage.flush.lost).toEqual({ refused: 0, shed: 0, unsaved: 0 });
  }
  await using storage = await openTestStorage({ queries: history, spoolFolder });
  storage.flush.push(textMessage(s, 'after'));
  history.refusal = () => undefined;
  await storage.flush.stored(s, never);
  expect(contentsOf(history)).toEqual(['before', 'after']);
});

test('of deleted sessions nothing is stored from the spool, of closed ones all', async () => {
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const queries = prepareMessageQueries(database);
  const [deleted, closed] = [await stage.createSession(), await stage.createSession()];
  let isAway = true;
  await using storage = await openTestStorage({
    queries: {
      async appendMessages(batch) {
        if (isAway) throw away();
        return await queries.appendMessages(batch);
      },
    },
  });
  const twice = textMessage(closed, 'twice');
  for (const one of [textMessage(deleted, 'gone'), twice, twice]) storage.flush.push(one);
  await until(() => storage.flush.spool.messages === 3);
  await stage.closeSession(closed);
  await stage.database.sql`delete from session_heads where session_id = ${deleted}`;
  isAway = false;
  await storage.flush.stored(closed, never);
  expect((await stage.history(closed)).map(({ content }) => content)).toEqual(['twice']);
  expect(await stage.history(deleted)).toEqual([]);
  expect([storage.flush.length, storage.flush.lost.refused]).toEqual([0, 0]);
});

test('a message that PostgreSQL refuses is kept in a file of its own, and its neighbours are stored', async () => {
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const queries = prepareMessageQueries(database);
  const sessionId = await stage.createSession();
  await using storage = await openTestStorage({ queries });
  const { flush, folder } = storage;
  // `decode` never gives such a text, and PostgreSQL cannot hold it.
  const said = ['a', 'b', 'poison \0', 'c', 'd'].map((text) => textMessage(sessionId, text));
  for (const message of said) flush.push(message);
  await flush.stored(sessionId, never);
  const stored = (await stage.history(sessionId)).map(({ content }) => content);
  expect(stored).toEqual(['a', 'b', 'c', 'd']);
  expect(flush.lost).toEqual({ refused: 1, shed: 0, unsaved: 0 });
  const file = path.join(folder, 'rejected.jsonl');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const line: unknown = JSON.parse(await readFile(file, 'utf8'));
  expect(line).toMatchObject({ code: '22P05', rejected: said[2] });
});

test('while a table is missing nothing is refused, and all is stored when it is back', async () => {
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const queries = prepareMessageQueries(database);
  const sessionId = await stage.createSession();
  await stage.database.sql`alter table messages rename to messages_moving`;
  let calls = 0;
  await using storage = await openTestStorage({
    queries: {
      async appendMessages(batch) {
        calls += 1;
        return await queries.appendMessages(batch);
      },
    },
  });
  for (const text of ['a', 'b']) storage.flush.push(textMessage(sessionId, text));
  await until(() => calls > 10);
  expect([storage.flush.length, storage.flush.lost.refused]).toEqual([2, 0]);
  await stage.database.sql`alter table messages_moving rename to messages`;
  await storage.flush.stored(sessionId, never);
  expect((await stage.history(sessionId)).map(({ content }) => content)).toEqual(['a', 'b']);
});

test.each([
  ['an error that nobody knows', '42501'],
  ['an error of a kind that has no code', undefined],
])(
  '%s costs what it comes with while the database takes others, and nothing more',
  async (_, code) => {
    const history = createHistory();
    history.refusal = (batch) =>
      batch.some(({ content }) => content === 'faulty') ? failure(code) : undefined;
    await using storage = await openTestStorage({ queries: history });
    for (const text of ['a', 'faulty', 'b']) storage.flush.push(textMessage(s, text));
    await storage.flush.stored(s, never);
    expect(contentsOf(history)).toEqual(['a', 'b']);
    expect(storage.flush.lost).toEqual({ refused: 1, shed: 0, unsaved: 0 });
  },
);

test('a batch that takes too long is sent by halves, and nothing of it is lost', async () => {
  const history = createHistory();
  history.refusal = ({ length }) => (length > 2 ? failure('57014') : undefined);
  await using storage = await openTestStorage({
    queries: history,
    timing: { flushMs: 20, spoolMs: 1000 },
  });
  for (const text of numbers(4)) storage.flush.push(textMessage(s, text));
  await storage.flush.stored(s, never);
  expect(history.batches.map(({ length }) => length)).toEqual([2, 2]);
  expect(storage.flush.lost.refused).toBe(0);
});

test('a batch is bounded by its size, and the oldest that waits is known wherever it stands', async () => {
  const history = createHistory();
  const isBack = Promise.withResolvers<void>();
  const appendMessages = async (batch: readonly NewMessageRow[]) => {
    await isBack.promise;
    return await history.appendMessages(batch);
  };
  const timing = { flushMs: 1, spoolMs: 60_000 };
  await using storage = await openTestStorage({ queries: { appendMessages }, timing });
  const large = 'x'.repeat(1024 * 1024);
  for (let receivedAt = 20; receivedAt > 10; receivedAt -= 1) {
    storage.flush.push({ ...textMessage(s, large), receivedAt });
  }
  expect(storage.flush.oldestAt).toBe(11);
  isBack.resolve();
  await storage.flush.stored(s, never);
  expect(history.batches.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
});

test('with the database away and the disk full, messages wait in memory, in its bounds, in order', async () => {
  await using disk = await fillDisk();
  const history = createHistory();
  history.refusal = away;
  const losses: Loss[] = [];
  await using storage = await openTestStorage({
    queries: history,
    recordLoss: async (loss) => void losses.push(loss),
    spoolFolder: disk.folder,
    queueBytes: 20_000,
  });
  const { flush } = storage;
  flush.push(textMessage(s, 'first'));
  await until(() => !flush.spool.isOk);
  const said = numbers(100).map((text) => textMessage(s, text));
  for (const message of said) flush.push(message);
  expect(flush.length).toBeLessThan(45);
  await disk.free();
  await until(() => flush.spool.isOk && flush.spool.messages > 0);
  history.refusal = () => undefined;
  await flush.stored(s, never);
  const count = flush.lost.shed;
  const kept = contentsOf(history).filter((text) => text !== 'first');
  expect(count).toBeGreaterThan(50);
  expect(kept).toEqual(numbers(100).slice(-kept.length));
  expect(losses.reduce((sum, loss) => sum + loss.count, 0)).toBe(count);
  expect(losses.at(-1)?.until).toBeLessThanOrEqual(said.at(-1)?.receivedAt ?? 0);
});

test('the end comes in time although neither database nor disk answers, and says what is lost', async () => {
  await using disk = await fillDisk();
  await using storage = await openTestStorage({
    queries: { appendMessages: () => new Promise(() => {}) },
    spoolFolder: disk.folder,
  });
  storage.flush.push(textMessage(s, 'a'));
  await storage.flush.end(AbortSignal.timeout(20));
  expect(storage.flush.lost.unsaved).toBe(1);
});

test('what comes after the end is counted as unsaved', async () => {
  const history = createHistory();
  await using storage = await openTestStorage({ queries: history });
  await storage.flush.end(never);
  storage.flush.push(textMessage(s, 'late'));
  await storage.flush.end(never);
  expect([storage.flush.lost.unsaved, storage.flush.length]).toEqual([1, 0]);
});
