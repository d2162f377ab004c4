import type { Recordable } from '@session/contract/room';
import { type NewMessage, openDatabase, prepareMessageQueries } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { TestStage, until } from '../test-recorder.ts';
import { Flush } from './flush.ts';

const log = createLog('silent');
const never = new AbortController().signal;

function message(sessionId: string, content: string): Recordable {
  return {
    id: uuidv7(),
    sessionId,
    role: 'user',
    status: 'complete',
    kind: 'text',
    content,
    metadata: { kind: 'text', participant: null, source: 'user_text', rawId: null },
    receivedAt: Date.now(),
  };
}

const away = () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

test('500 at once in one statement, in their order, and what comes meanwhile in the next', async () => {
  const batches: (readonly NewMessage[])[] = [];
  await using flush = new Flush({
    log,
    flushMs: 60_000,
    async appendMessages(batch) {
      batches.push(batch);
      return { sessions: 1, stored: batch.length };
    },
  });
  for (let number = 0; number < 1200; number += 1) flush.push(message('s', String(number)));
  await until(() => batches.length === 2);
  await flush.end(never);
  expect(batches.map(({ length }) => length)).toEqual([500, 500, 200]);
  expect(batches.flat().map(({ content }) => Number(content))).toEqual(
    Array.from({ length: 1200 }).keys().toArray(),
  );
});

test('few messages wait for others no longer than they may', async () => {
  const batches: (readonly NewMessage[])[] = [];
  await using flush = new Flush({
    log,
    flushMs: 5,
    async appendMessages(batch) {
      batches.push(batch);
      return { sessions: 1, stored: batch.length };
    },
  });
  flush.push(message('s', 'only one'));
  await flush.stored('s', never);
  expect(batches).toHaveLength(1);
});

test('the same batch again while the database is away, and those behind it after it', async () => {
  const given: string[] = [];
  const stored: string[] = [];
  let failures = 3;
  await using flush = new Flush({
    log,
    flushMs: 1,
    async appendMessages(batch) {
      given.push(batch.map(({ content }) => content).join());
      failures -= 1;
      if (failures >= 0) throw away();
      stored.push(...batch.map(({ content }) => content));
      return { sessions: 1, stored: batch.length };
    },
  });
  flush.push(message('s', 'a'));
  await until(() => given.length === 1);
  expect(flush.isDatabaseOk).toBe(false);
  flush.push(message('s', 'b'));
  expect(flush.length).toBe(2);
  await flush.stored('s', never);
  expect(given).toEqual(['a', 'a', 'a', 'a', 'b']);
  expect(stored).toEqual(['a', 'b']);
  expect(flush.isDatabaseOk).toBe(true);
});

test('a message that PostgreSQL refuses is counted, and its neighbours are stored', async () => {
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 1 });
  const queries = prepareMessageQueries(database);
  const sessionId = await stage.createSession();
  await using flush = new Flush({
    log,
    flushMs: 1,
    appendMessages: (batch) => queries.appendMessages(batch),
  });
  // `decode` never gives such a text, and PostgreSQL cannot hold it.
  for (const text of ['a', 'b', 'poison \0', 'c', 'd']) flush.push(message(sessionId, text));
  await flush.stored(sessionId, never);
  expect((await stage.history(sessionId)).map(({ content }) => content)).toEqual([
    'a',
    'b',
    'c',
    'd',
  ]);
  expect(flush.lost).toEqual({ refused: 1, shed: 0, unsaved: 0 });
});

test('what cannot be stored in the memory’s bounds is counted as lost, the rest is kept', async () => {
  let isAway = true;
  const stored: string[] = [];
  await using flush = new Flush({
    log,
    flushMs: 1,
    limits: { messages: 100, bytes: 1e9 },
    async appendMessages(batch) {
      if (isAway) throw away();
      stored.push(...batch.map(({ content }) => content));
      return { sessions: 1, stored: batch.length };
    },
  });
  flush.push(message('s', 'first'));
  await until(() => !flush.isDatabaseOk);
  for (let number = 0; number < 150; number += 1) flush.push(message('s', String(number)));
  isAway = false;
  await flush.stored('s', never);
  expect(stored.length + flush.lost.shed).toBe(151);
  expect(stored.at(-1)).toBe('149');
  expect(flush.lost.shed).toBeGreaterThanOrEqual(50);
});

test('the end comes in time although the database is away, and says what is lost', async () => {
  await using flush = new Flush({
    log,
    flushMs: 1,
    appendMessages: () => new Promise(() => {}),
  });
  flush.push(message('s', 'a'));
  await until(() => flush.length === 1);
  await flush.end(AbortSignal.timeout(20));
  expect(flush.lost.unsaved).toBe(1);
});

test('what comes after the end is counted as unsaved', async () => {
  await using flush = new Flush({
    log,
    flushMs: 1,
    appendMessages: async (batch) => ({ sessions: 1, stored: batch.length }),
  });
  await flush.end(never);
  flush.push(message('s', 'late'));
  await flush.end(never);
  expect([flush.lost.unsaved, flush.length]).toEqual([1, 0]);
});

test.each([
  ['an error that nobody knows', '42501'],
  ['an error of a kind that has no code', undefined],
])('%s costs what it comes with, after a few tries, and nothing behind it', async (_name, code) => {
  const stored: string[] = [];
  await using flush = new Flush({
    log,
    flushMs: 1,
    async appendMessages(batch) {
      const isFaulty = batch.some(({ content }) => content === 'faulty');
      if (isFaulty) throw Object.assign(new Error('?'), code && { code });
      stored.push(...batch.map(({ content }) => content));
      return { sessions: 1, stored: batch.length };
    },
  });
  for (const text of ['faulty', 'a']) flush.push(message('s', text));
  await flush.stored('s', never);
  expect(stored).toEqual(['a']);
  expect(flush.lost).toEqual({ refused: 1, shed: 0, unsaved: 0 });
});

test('a batch that takes too long is sent by halves, and nothing of it is lost', async () => {
  const sizes: number[] = [];
  await using flush = new Flush({
    log,
    flushMs: 20,
    async appendMessages(batch) {
      sizes.push(batch.length);
      if (batch.length > 2) throw Object.assign(new Error('canceled'), { code: '57014' });
      return { sessions: 1, stored: batch.length };
    },
  });
  for (let number = 0; number < 4; number += 1) flush.push(message('s', String(number)));
  await flush.stored('s', never);
  expect(sizes).toEqual([4, 2, 2]);
  expect(flush.lost.refused).toBe(0);
});

test('a batch is bounded by its size, and the oldest that waits is known wherever it stands', async () => {
  const sizes: number[] = [];
  const isBack = Promise.withResolvers<void>();
  await using flush = new Flush({
    log,
    flushMs: 1,
    async appendMessages(batch) {
      sizes.push(batch.length);
      await isBack.promise;
      return { sessions: 1, stored: batch.length };
    },
  });
  const large = 'x'.repeat(1024 * 1024);
  for (let receivedAt = 20; receivedAt > 10; receivedAt -= 1) {
    flush.push({ ...message('s', large), receivedAt });
  }
  await until(() => sizes.length === 1);
  expect(flush.oldestAt).toBe(11);
  isBack.resolve();
  await flush.stored('s', never);
  expect(sizes).toEqual([3, 3, 3, 1]);
});
