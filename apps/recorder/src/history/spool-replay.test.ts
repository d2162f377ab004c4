import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import { logTo } from '../../testing/log-to.ts';
import type { QueuedMessage, StoreResult } from '../message-path.ts';
import { lineOf, type SpoolLine } from './spool/spool-line.ts';
import { type LateBatch, replaySpool } from './spool-replay.ts';

const never = new AbortController().signal;
const unreadable: SpoolLine = { queued: undefined, text: '{"half', sizeBytes: 7 };
const line = (content: string) => lineOf(textMessage('session', content));
const waitingLine = (content: string) => lineOf(textMessage('waiting', content));
const allSettled = (batch: readonly string[]) => ({ count: batch.length });
const contentOf = (queued: QueuedMessage) => ('content' in queued ? queued.content : 'mark');

/** How many of the first messages are settled, and the error that kept the others from being settled. */
interface Answer {
  readonly count: number;
  readonly error?: unknown;
}

/** Returns a replay of a spool in memory with these lines, which are read at most three at a time. */
function openReplay(lines: SpoolLine[], store: (batch: readonly string[]) => Answer) {
  const stored: string[] = [];
  const refused: string[] = [];
  const results: StoreResult[] = [];
  const errors: unknown[] = [];
  const deferred: string[] = [];
  let readFailures = 0;
  let late: LateBatch | undefined;
  const deps = {
    takeLate() {
      const taken = late;
      late = undefined;
      return taken;
    },
    spool: {
      get length() {
        return lines.length;
      },
      async first() {
        if (readFailures > 0) {
          readFailures -= 1;
          throw new Error('the disk is away');
        }
        return lines.slice(0, 3);
      },
      hasOther: () => false,
      async settle(settled: readonly SpoolLine[]) {
        lines.splice(0, settled.length);
      },
    },
    store: {
      async store(batch: readonly QueuedMessage[]) {
        const names = batch.map(contentOf);
        const { count, ...rest } = store(names);
        stored.push(...names.slice(0, count));
        return { settledCount: count, deferred: [], rest: batch.slice(count), ...rest };
      },
    },
    lanes: {
      has: (sessionId: string) => sessionId === 'waiting',
      async append(messages: readonly QueuedMessage[]) {
        deferred.push(...messages.map(contentOf));
      },
    },
    losses: {
      async refuseLine(text: string) {
        refused.push(text);
      },
    },
    log: logTo((details) => void errors.push(details)),
    noted: (result: StoreResult) => void results.push(result),
  };
  return {
    deps,
    stored,
    refused,
    deferred,
    results,
    errors,
    failReads: (count: number) => {
      readFailures = count;
    },
    /** Makes the first lines a late batch, which was sent before and gets this answer. */
    awaitLate: (messages: readonly QueuedMessage[], answer: Promise<StoreResult>) => {
      late = { messages, answer };
    },
  };
}

test('everything is stored in order, and lines that are added meanwhile too', async () => {
  const lines = ['a', 'b', 'c', 'd'].map(line);
  const { deps, stored } = openReplay(lines, (batch) => {
    if (batch.includes('d')) lines.push(line('late'));
    return allSettled(batch);
  });
  await replaySpool(deps, never);
  expect([stored, lines]).toEqual([['a', 'b', 'c', 'd', 'late'], []]);
});

test('a line that cannot be read is refused alone, in its turn', async () => {
  const lines = [line('a'), unreadable, line('b'), unreadable];
  const { deps, stored, refused } = openReplay(lines, allSettled);
  await replaySpool(deps, never);
  expect([stored, refused]).toEqual([
    ['a', 'b'],
    ['{"half', '{"half'],
  ]);
});

test('what the database does not take is sent again, and what it took is not', async () => {
  const error = new Error('away');
  let tries = 0;
  const { deps, stored, results } = openReplay(['a', 'b', 'c'].map(line), (batch) => {
    tries += 1;
    return tries === 1 ? { count: 1, error } : allSettled(batch);
  });
  await replaySpool(deps, never);
  expect(stored).toEqual(['a', 'b', 'c']);
  expect(results).toMatchObject([{ settledCount: 1, error }, { settledCount: 2 }]);
});

test('a batch whose answer is late is not sent again, but for what the answer leaves, and nothing overtakes it', async () => {
  const lines = [line('a'), line('b'), waitingLine('c'), line('d'), line('e')];
  const messages = lines.slice(0, 4).flatMap(({ queued }) => queued ?? []);
  const { deps, stored, deferred, results, awaitLate } = openReplay(lines, allSettled);
  const answer = Promise.withResolvers<StoreResult>();
  awaitLate(messages, answer.promise);
  const replaying = replaySpool(deps, never);
  const error = new Error('away');
  const [deferredLate, rest] = [messages.slice(2, 3), messages.slice(3)];
  answer.resolve({ settledCount: 2, deferred: deferredLate, rest, error });
  await replaying;
  expect([stored, deferred, lines]).toEqual([['d', 'e'], ['c'], []]);
  expect(results).toMatchObject([{ settledCount: 2, error }, { settledCount: 2 }]);
});

test('messages of a session that waits alone go behind its others, and hold up no other session', async () => {
  const lines = [line('a'), waitingLine('b'), line('c')];
  const { deps, stored, deferred } = openReplay(lines, allSettled);
  await replaySpool(deps, never);
  expect([stored, deferred, lines]).toEqual([['a', 'c'], ['b'], []]);
});

test('while the database is away, a waiting session gets no message twice, however often the replay tries', async () => {
  const lines = [waitingLine('a'), line('b'), waitingLine('c')];
  let tries = 0;
  const { deps, stored, deferred } = openReplay(lines, (batch) => {
    tries += 1;
    return tries < 4 ? { count: 0, error: new Error('away') } : allSettled(batch);
  });
  await replaySpool(deps, never);
  expect([stored, deferred, lines]).toEqual([['b'], ['a', 'c'], []]);
});

test('a disk that cannot be read for a moment is read again', async () => {
  const { deps, stored, errors, failReads } = openReplay([line('a')], allSettled);
  failReads(1);
  await replaySpool(deps, never);
  expect([stored, errors.length]).toEqual([['a'], 1]);
});

test('an answer after the end settles nothing: the next process stores the lines again', async () => {
  const ending = new AbortController();
  const lines = [line('a')];
  const { deps, results } = openReplay(lines, (batch) => {
    ending.abort();
    return allSettled(batch);
  });
  await replaySpool(deps, ending.signal);
  expect([lines.length, results]).toEqual([1, []]);
});
