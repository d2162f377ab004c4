import type { NewMessageRow } from '@session/db';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import type { LostMessages, QueuedMessage } from '../message-path.ts';
import { BatchStore, codeOf } from './batch-store.ts';

const s = 'session';
const mark = (count: number): LostMessages => ({
  kind: 'loss',
  sessionId: s,
  receivedAt: 1,
  until: 2,
  count,
});
const failure = (code?: string) => Object.assign(new Error('?'), code && { code });
/** PostgreSQL's `untranslatable_character`: a value that it never stores. */
const REFUSED = '22P05';

/** A database in memory, and everything that reaches it or is rejected, in order. */
function openStore(fail: (batch: readonly NewMessageRow[]) => Error | undefined) {
  const stored: string[] = [];
  const rejected: string[] = [];
  let statements = 0;
  let isLossRefused = false;
  const store = new BatchStore({
    queries: {
      async appendMessages(batch) {
        statements += 1;
        const error = fail(batch);
        if (error) throw error;
        stored.push(...batch.map(({ content }) => content));
        return { sessions: 1, stored: batch.length, lockedSessions: [], conflicts: 0, ignored: [] };
      },
    },
    async reportLoss({ count }) {
      if (isLossRefused) throw failure('ECONNREFUSED');
      stored.push(`${count} lost`);
    },
    async reject(queued) {
      rejected.push('content' in queued ? queued.content : 'mark');
    },
  });
  return {
    store,
    stored,
    rejected,
    countStatements: () => statements,
    refuseLosses: () => {
      isLossRefused = true;
    },
  };
}

test('wherever refused messages stand, they alone are rejected, and the others are stored in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (refusals) => {
      const names = refusals.map((isRefused, index) => `${isRefused ? 'bad' : 'good'} ${index}`);
      const { store, stored, rejected } = openStore((batch) =>
        batch.some(({ content }) => content.startsWith('bad')) ? failure(REFUSED) : undefined,
      );
      const result = await store.store(names.map((name) => textMessage(s, name)));
      expect(result).toEqual({ settled: names.length });
      expect(stored).toEqual(names.filter((name) => name.startsWith('good')));
      expect(rejected).toEqual(names.filter((name) => name.startsWith('bad')));
    }),
  );
});

test('one refused message among 500 costs few statements', async () => {
  const { store, countStatements } = openStore((batch) =>
    batch.some(({ content }) => content === '123') ? failure(REFUSED) : undefined,
  );
  await store.store(Array.from({ length: 500 }, (_, index) => textMessage(s, String(index))));
  // Two for each halving.
  expect(countStatements()).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(500)) + 1);
});

test('marks of lost messages keep their position among the messages', async () => {
  const { store, stored } = openStore(() => undefined);
  const batch: QueuedMessage[] = [
    mark(1),
    textMessage(s, 'a'),
    textMessage(s, 'b'),
    mark(2),
    mark(3),
    textMessage(s, 'c'),
  ];
  expect(await store.store(batch)).toEqual({ settled: 6 });
  expect(stored).toEqual(['1 lost', 'a', 'b', '2 lost', '3 lost', 'c']);
});

test('an empty batch is settled without a statement', async () => {
  const { store, countStatements } = openStore(() => undefined);
  expect(await store.store([])).toEqual({ settled: 0 });
  expect(countStatements()).toBe(0);
});

test.each(['ECONNREFUSED', '57P01', '53300'])(
  'a database that is away (%s) rejects nothing, and the count tells where to go on',
  async (code) => {
    const error = failure(code);
    const { store, stored, rejected } = openStore((batch) =>
      batch.some(({ content }) => content === 'c') ? error : undefined,
    );
    const batch = [textMessage(s, 'a'), textMessage(s, 'b'), mark(1), textMessage(s, 'c'), mark(2)];
    expect(await store.store(batch)).toEqual({ settled: 3, error });
    expect([stored, rejected]).toEqual([['a', 'b', '1 lost'], []]);
  },
);

test('a mark that cannot be recorded now is sent again, and rejects no message', async () => {
  const { store, stored, rejected, refuseLosses } = openStore(() => undefined);
  refuseLosses();
  const result = await store.store([textMessage(s, 'a'), mark(1), textMessage(s, 'b')]);
  expect([result.settled, codeOf(result.error)]).toEqual([1, 'ECONNREFUSED']);
  expect([stored, rejected]).toEqual([['a'], []]);
});

test('a database that goes away during the halving settles only what it has taken', async () => {
  let isAway = false;
  const { store, stored, rejected } = openStore((batch) => {
    if (isAway) return failure('ECONNREFUSED');
    if (batch.some(({ content }) => content === 'bad')) return failure(REFUSED);
    isAway = batch.length > 0;
    return undefined;
  });
  const names = ['a', 'b', 'bad', 'c'];
  const { settled } = await store.store(names.map((name) => textMessage(s, name)));
  expect([settled, stored, rejected]).toEqual([2, ['a', 'b'], []]);
});

test('a failure in the first half sends nothing of the second, which would overtake it', async () => {
  const error = failure('ECONNREFUSED');
  const { store, stored } = openStore((batch) => {
    if (!batch.some(({ content }) => content === 'bad')) return undefined;
    return batch.length === 1 ? error : failure(REFUSED);
  });
  const names = ['a', 'bad', 'c', 'd'];
  const result = await store.store(names.map((name) => textMessage(s, name)));
  expect([result, stored]).toEqual([{ settled: 1, error }, ['a']]);
});

test('a single message that takes too long is not rejected, but sent again later', async () => {
  const error = failure('57014');
  const { store, rejected } = openStore((batch) => (batch.length > 0 ? error : undefined));
  expect(await store.store([textMessage(s, 'slow')])).toEqual({ settled: 0, error });
  expect(rejected).toEqual([]);
});

test('an unknown error is tried three times before the message is rejected', async () => {
  let tries = 0;
  const { store, rejected } = openStore((batch) => {
    if (batch.length === 0) return undefined;
    tries += 1;
    return failure('XX999');
  });
  expect(await store.store([textMessage(s, 'odd')])).toEqual({ settled: 1 });
  expect([tries, rejected]).toEqual([3, ['odd']]);
});

test('an unknown error that passes costs no message', async () => {
  let tries = 0;
  const { store, stored, rejected } = openStore((batch) => {
    if (batch.length === 0) return undefined;
    tries += 1;
    return tries < 3 ? failure('XX999') : undefined;
  });
  expect(await store.store([textMessage(s, 'odd')])).toEqual({ settled: 1 });
  expect([stored, rejected]).toEqual([['odd'], []]);
});

test.each([
  ['an error with a code', failure('22P05'), '22P05'],
  ['an error whose cause has a code', new Error('outer', { cause: failure('57014') }), '57014'],
  ['an error without a code', failure(), undefined],
  ['a code that is no text', Object.assign(new Error('?'), { code: 7 }), undefined],
  ['a thrown value that is no error', 'away', undefined],
])('the code of %s', (_, error, code) => {
  expect(codeOf(error)).toBe(code);
});
