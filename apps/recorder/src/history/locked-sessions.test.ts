import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import { BatchStore, codeOf } from './batch-store.ts';
import { FailureJudge } from './failure-judge.ts';
import { StorageDelays } from './storage-delays.ts';

const SESSIONS = ['a', 'b', 'c'];

/** Stores messages of `SESSIONS` and of `d`. The first statements find `SESSIONS` locked. Messages of two sessions may be deferred. */
async function store(lockedStatements: number) {
  startVirtualTime();
  const stored: string[] = [];
  let statements = 0;
  const batchStore = new BatchStore({
    clock: { now: () => 7 },
    delays: new StorageDelays(Date),
    judge: new FailureJudge(),
    mayDefer: (count) => count <= 2,
    queries: {
      async appendMessages(batch) {
        statements += 1;
        const lockedSessions = statements <= lockedStatements ? SESSIONS : [];
        const free = batch.filter(({ sessionId }) => !lockedSessions.includes(sessionId));
        stored.push(...free.map(({ content }) => content));
        const none = { conflicts: 0, ignored: [], intruded: 0, gaps: [] };
        return { sessions: 1, stored: free.length, lockedSessions, ...none };
      },
    },
    reportLoss: async () => {},
    reject: async () => {},
  });
  const names = ['a 1', 'b', 'd', 'c', 'a 2'];
  const storing = batchStore.store(names.map((name) => textMessage(name.charAt(0), name)));
  await passTime(50);
  return { result: await storing, stored, statements };
}

test.each([1, 10])(
  'more sessions locked for %i statements than may wait alone are stored in order, without an error',
  async (lockedStatements) => {
    const { result, stored, statements } = await store(lockedStatements);
    expect(result).toEqual({ settledCount: 5, deferred: [], rest: [] });
    expect(stored).toEqual(['d', 'a 1', 'b', 'c', 'a 2']);
    expect(statements).toBe(lockedStatements + 1);
  },
);

test('more sessions locked for 50 ms than may wait alone mean that the database is away', async () => {
  const { result, stored } = await store(Infinity);
  expect(
    [result.deferred, result.rest].map((left) => left.map(({ sessionId }) => sessionId)),
  ).toEqual([['a', 'b', 'a'], ['c']]);
  expect(codeOf(result.error)).toBe('55P03');
  expect(stored).toEqual(['d']);
});
