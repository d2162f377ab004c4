import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type NewMessageRow, openDatabase } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fillDisk, openTestHistoryWriter, textMessage } from '../../testing/history-writer.ts';
import { tempFolder } from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';
import type { LostMessages } from '../message-path.ts';
import { queriesOn } from '../queries.ts';
import type { HistoryDeps } from './open-history.ts';

const never = new AbortController().signal;
const s = uuidv7();

/** A history in memory, whose failures a test decides. */
interface MemoryHistory {
  readonly batches: (readonly NewMessageRow[])[];
  /** Returns the error for a batch; undefined when the batch is stored. */
  refusal: (batch: readonly NewMessageRow[]) => Error | undefined;
  readonly appendMessages: HistoryDeps['queries']['appendMessages'];
}

function createHistory(): MemoryHistory {
  const history: MemoryHistory = {
    batches: [],
    refusal: () => undefined,
    async appendMessages(batch) {
      const error = history.refusal(batch);
      if (error) throw error;
      if (batch.length > 0) history.batches.push(batch);
      return {
        sessions: 1,
        stored: batch.length,
        lockedSessions: [],
        conflicts: 0,
        ignored: [],
        intruded: 0,
        gaps: [],
      };
    },
  };
  return history;
}

const contentsOf = ({ batches }: MemoryHistory) => batches.flat().map(({ content }) => content);
const failure = (code?: string) => Object.assign(new Error('?'), code && { code });
const away = () => failure('ECONNREFUSED');
const numbers = (count: number) => Array.from({ length: count }, (_, number) => String(number));

test('500 messages at once in one statement, in order, and later messages in the next', async () => {
  const history = createHistory();
  const timing = { flushMs: 60_000, spoolMs: 60_000, refuseMs: 600_000 };
  await using opened = await openTestHistoryWriter({ queries: history, timing });
  for (const text of numbers(1200)) opened.writer.push(textMessage(s, text));
  await until(() => history.batches.length === 2);
  await opened.writer.end(never);
  expect(history.batches.map(({ length }) => length)).toEqual([500, 500, 200]);
  expect(contentsOf(history)).toEqual(numbers(1200));
});

test('a few messages wait for others no longer than they may', async () => {
  const history = createHistory();
  await using opened = await openTestHistoryWriter({ queries: history });
  opened.writer.push(textMessage(s, 'only one'));
  await opened.writer.untilStored(s, never);
  expect(contentsOf(history)).toEqual(['only one']);
});

test('messages that come while the database is away wait on the disk, and are stored in order', async () => {
  const history = createHistory();
  history.refusal = away;
  await using opened = await openTestHistoryWriter({ queries: history });
  const { writer } = opened;
  for (const text of ['a', 'b', 'c']) {
    writer.push(textMessage(s, text));
    const count = writer.spool.messages;
    await until(() => writer.spool.messages > count);
  }
  expect([writer.isDatabaseOk, writer.length, writer.lastFlushAt]).toEqual([false, 3, null]);
  history.refusal = () => undefined;
  writer.push(textMessage(s, 'd'));
  await writer.untilStored(s, never);
  expect(contentsOf(history)).toEqual(['a', 'b', 'c', 'd']);
  expect([writer.isDatabaseOk, writer.length]).toEqual([true, 0]);
});

test('messages that the database does not answer in time are on the disk before the answer comes', async () => {
  const history = createHistory();
  const answer = Promise.withResolvers<void>();
  const appendMessages = async (batch: readonly NewMessageRow[]) => {
    await answer.promise;
    return await history.appendMessages(batch);
  };
  const timing = { flushMs: 1, spoolMs: 5, refuseMs: 600_000 };
  await using opened = await openTestHistoryWriter({ queries: { appendMessages }, timing });
  opened.writer.push(textMessage(s, 'a'));
  await until(() => opened.writer.spool.messages === 1);
  opened.writer.push(textMessage(s, 'b'));
  await until(() => opened.writer.spool.messages === 2);
  answer.resolve();
  await opened.writer.untilStored(s, never);
  // No batch is sent a second time.
  expect(history.batches.map((batch) => batch.map(({ content }) => content))).toEqual([
    ['a'],
    ['b'],
  ]);
});

test('the next process stores the spool of the last one, before its own messages', async () => {
  await using temp = await tempFolder();
  const history = createHistory();
  history.refusal = away;
  const spoolFolder = temp.folder;
  {
    await using opened = await openTestHistoryWriter({ queries: history, spoolFolder });
    opened.writer.push(textMessage(s, 'before'));
    await opened.writer.end(AbortSignal.timeout(20));
    expect(opened.writer.lost).toEqual({ refused: 0, shed: 0, unsaved: 0 });
  }
  await using opened = await openTestHistoryWriter({ queries: history, spoolFolder });
  opened.writer.push(textMessage(s, 'after'));
  history.refusal = () => undefined;
  await opened.writer.untilStored(s, never);
  expect(contentsOf(history)).toEqual(['before', 'after']);
});

test('from the spool, messages of closed sessions are stored, and messages of deleted sessions are not', async () => {
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const [deleted, closed] = [await stage.createSession(), await stage.createSession()];
  let isAway = true;
  await using opened = await openTestHistoryWriter({
    queries: {
      async appendMessages(batch) {
        if (isAway) throw away();
        return await queriesOn(database).appendMessages(batch);
      },
    },
  });
  const twice = textMessage(closed, 'twice');
  for (const one of [textMessage(deleted, 'gone'), twice, twice]) opened.writer.push(one);
  await until(() => opened.writer.spool.messages === 3);
  await stage.closeSession(closed);
  await stage.database.sql`delete from session_heads where session_id = ${deleted}`;
  isAway = false;
  await opened.writer.untilStored(closed, never);
  expect((await stage.history(closed)).map(({ content }) => content)).toEqual(['twice']);
  expect(await stage.history(deleted)).toEqual([]);
  expect([opened.writer.length, opened.writer.lost.refused]).toEqual([0, 0]);
});

test('a message that PostgreSQL refuses is kept in a file of its own, and its neighbours are stored', async () => {
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const queries = queriesOn(database);
  const sessionId = await stage.createSession();
  await using opened = await openTestHistoryWriter({ queries });
  const { writer, folder } = opened;
  // `decode` never returns such a text, and PostgreSQL cannot store it.
  const said = ['a', 'b', 'poison \0', 'c', 'd'].map((text) => textMessage(sessionId, text));
  for (const message of said) writer.push(message);
  await writer.untilStored(sessionId, never);
  const stored = (await stage.history(sessionId)).map(({ content }) => content);
  expect(stored).toEqual(['a', 'b', 'c', 'd']);
  expect(writer.lost).toEqual({ refused: 1, shed: 0, unsaved: 0 });
  const file = path.join(folder, 'rejected.jsonl');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const line: unknown = JSON.parse(await readFile(file, 'utf8'));
  expect(line).toMatchObject({ code: '22P05', rejected: said[2] });
});

test('while a table is missing no message is refused, and all are stored when it is back', async () => {
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const sessionId = await stage.createSession();
  await stage.database.sql`alter table messages rename to messages_moving`;
  let calls = 0;
  await using opened = await openTestHistoryWriter({
    queries: {
      async appendMessages(batch) {
        calls += 1;
        return await queriesOn(database).appendMessages(batch);
      },
    },
  });
  for (const text of ['a', 'b']) opened.writer.push(textMessage(sessionId, text));
  await until(() => calls > 10);
  expect([opened.writer.length, opened.writer.lost.refused]).toEqual([2, 0]);
  await stage.database.sql`alter table messages_moving rename to messages`;
  await opened.writer.untilStored(sessionId, never);
  expect((await stage.history(sessionId)).map(({ content }) => content)).toEqual(['a', 'b']);
});

test('a batch is bounded by its size, and the oldest waiting message is known wherever it stands', async () => {
  const history = createHistory();
  const isBack = Promise.withResolvers<void>();
  const appendMessages = async (batch: readonly NewMessageRow[]) => {
    await isBack.promise;
    return await history.appendMessages(batch);
  };
  const timing = { flushMs: 1, spoolMs: 60_000, refuseMs: 600_000 };
  await using opened = await openTestHistoryWriter({ queries: { appendMessages }, timing });
  const large = 'x'.repeat(1024 * 1024);
  for (let receivedAt = 20; receivedAt > 10; receivedAt -= 1) {
    opened.writer.push({ ...textMessage(s, large), receivedAt });
  }
  opened.writer.push({ ...textMessage(s, large), receivedAt: 21, since: 5 });
  expect(opened.writer.waiting).toEqual(new Map([[s, { since: 5, isAlone: false }]]));
  expect(opened.writer.inMemorySince).toBe(5);
  isBack.resolve();
  await opened.writer.untilStored(s, never);
  expect(history.batches.map(({ length }) => length)).toEqual([3, 3, 3, 2]);
});

test('with the database away and the disk full, messages wait in memory, within its limit, in order', async () => {
  await using disk = await fillDisk();
  const history = createHistory();
  history.refusal = away;
  const losses: LostMessages[] = [];
  await using opened = await openTestHistoryWriter({
    queries: history,
    reportLoss: async (loss) => void losses.push(loss),
    spoolFolder: disk.folder,
    queueBytes: 20_000,
  });
  const { writer } = opened;
  writer.push(textMessage(s, 'first'));
  await until(() => !writer.spool.isOk);
  const said = numbers(100).map((text) => textMessage(s, text));
  for (const message of said) writer.push(message);
  expect(writer.length).toBeLessThan(45);
  await disk.free();
  await until(() => writer.spool.isOk && writer.spool.messages > 0);
  history.refusal = () => undefined;
  await writer.untilStored(s, never);
  const count = writer.lost.shed;
  const kept = contentsOf(history).filter((text) => text !== 'first');
  expect(count).toBeGreaterThan(50);
  expect(kept).toEqual(numbers(100).slice(-kept.length));
  expect(losses.reduce((sum, loss) => sum + loss.count, 0)).toBe(count);
  expect(losses.at(-1)?.until).toBeLessThanOrEqual(said.at(-1)?.receivedAt ?? 0);
});

test('the end comes in time although neither database nor disk answers, and counts the lost messages', async () => {
  await using disk = await fillDisk();
  await using opened = await openTestHistoryWriter({
    queries: { appendMessages: () => new Promise(() => {}) },
    spoolFolder: disk.folder,
  });
  opened.writer.push(textMessage(s, 'a'));
  await opened.writer.end(AbortSignal.timeout(20));
  expect(opened.writer.lost.unsaved).toBe(1);
});

test('a message that comes after the end is counted as unsaved', async () => {
  const history = createHistory();
  await using opened = await openTestHistoryWriter({ queries: history });
  await opened.writer.end(never);
  opened.writer.push(textMessage(s, 'late'));
  await opened.writer.end(never);
  expect([opened.writer.lost.unsaved, opened.writer.length]).toEqual([1, 0]);
});
