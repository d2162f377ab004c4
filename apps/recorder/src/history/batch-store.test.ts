import type { NewMessageRow } from '@session/db';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import type { LostMessages, QueuedMessage } from '../message-path.ts';
import { BatchStore, codeOf } from './batch-store.ts';
import { FailureJudge } from './failure-judge.ts';
import { StorageDelays } from './storage-delays.ts';

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

interface Options {
  /** Returns the error for a batch; undefined when the batch is stored. */
  readonly fail?: (batch: readonly NewMessageRow[]) => Error | undefined;
  readonly lockedSessions?: readonly string[];
}

/** Returns a store with a database in memory, and lists everything that it stores or rejects, in order. */
function openStore({ fail = () => undefined, lockedSessions = [] }: Options) {
  const stored: string[] = [];
  const rejected: string[] = [];
  const gaps: LostMessages[] = [];
  let statements = 0;
  let lossError: Error | undefined;
  const isStored = ({ sessionId }: NewMessageRow) => !lockedSessions.includes(sessionId);
  const store = new BatchStore({
    clock: { now: () => 7 },
    delays: new StorageDelays(Date),
    judge: new FailureJudge(),
    mayDefer: () => true,
    queries: {
      async appendMessages(batch, options) {
        expect(options).toEqual({ waitForLocks: false, now: 7 });
        statements += 1;
        const error = fail(batch);
        if (error) throw error;
        stored.push(...batch.filter(isStored).map(({ content }) => content));
        return {
          sessions: 1,
          stored: batch.length,
          lockedSessions,
          conflicts: 0,
          ignored: [],
          intruded: 0,
          gaps: [],
        };
      },
    },
    async reportLoss(lost) {
      if (lossError) throw lossError;
      if (lost.reason) gaps.push(lost);
      else stored.push(`${lost.count} lost`);
    },
    async reject(queued) {
      rejected.push('content' in queued ? queued.content : 'mark');
    },
  });
  return {
    store,
    stored,
    rejected,
    gaps,
    countStatements: () => statements,
    failLosses: (error: Error | undefined) => {
      lossError = error;
    },
  };
}

const contentsOf = (messages: readonly QueuedMessage[]) =>
  messages.map((queued) => ('content' in queued ? queued.content : 'mark'));
const messages = (sessionId: string, count: number) =>
  Array.from({ length: count }, (_, number) => textMessage(sessionId, `${sessionId} ${number}`));
/** Fails each batch that has a message of one of these sessions. */
const failing = (code: string | undefined, ...sessions: string[]) => ({
  fail: (batch: readonly NewMessageRow[]) =>
    batch.some(({ sessionId }) => sessions.includes(sessionId)) ? failure(code) : undefined,
});

test('wherever refused messages stand, they alone are rejected, each leaves a gap, and the others are stored in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 19 }), async (refusals) => {
      const names = refusals.map((isRefused, index) => `${isRefused ? 'bad' : 'good'} ${index}`);
      const { store, stored, rejected, gaps } = openStore({
        fail: (batch) =>
          batch.some(({ content }) => content.startsWith('bad')) ? failure(REFUSED) : undefined,
      });
      const said = names.map((name, index) => ({ ...textMessage(s, name), receivedAt: index }));
      expect(await store.store(said)).toMatchObject({ settledCount: names.length, rest: [] });
      expect(stored).toEqual(names.filter((name) => name.startsWith('good')));
      const bad = said.filter(({ content }) => content.startsWith('bad'));
      expect(rejected).toEqual(contentsOf(bad));
      expect(gaps.map(({ reason, receivedAt, until }) => [reason, receivedAt, until])).toEqual(
        bad.map(({ receivedAt }) => ['refused', receivedAt, receivedAt]),
      );
    }),
  );
});

test('one refused message among 500 costs few statements', async () => {
  const { store, countStatements } = openStore({
    fail: (batch) =>
      batch.some(({ content }) => content === '123') ? failure(REFUSED) : undefined,
  });
  await store.store(Array.from({ length: 500 }, (_, index) => textMessage(s, String(index))));
  // Two statements for each halving.
  expect(countStatements()).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(500)) + 1);
});

test('a database that refuses everything costs 20 messages at most; one that is stored shows that a value was at fault', async () => {
  let isBroken = true;
  const { store, rejected } = openStore({
    fail: (batch) => {
      if (isBroken || batch.some(({ content }) => content === 'bad')) return failure('23514');
      return undefined;
    },
  });
  const first = await store.store(messages('a', 50));
  expect([first.settledCount, rejected.length, codeOf(first.error)]).toEqual([20, 20, '23514']);
  const second = await store.store(messages('b', 50));
  expect([second.settledCount, rejected.length]).toEqual([0, 20]);
  isBroken = false;
  await store.store([textMessage(s, 'good')]);
  await store.store([textMessage(s, 'bad')]);
  expect(rejected.slice(20)).toEqual(['bad']);
});

test('a refused message waits until its gap is stored; one that reports a gap leaves none', async () => {
  const { store, rejected, gaps, failLosses } = openStore({ fail: () => failure(REFUSED) });
  failLosses(failure('ECONNREFUSED'));
  const later = await store.store([textMessage(s, 'bad')]);
  expect([contentsOf(later.rest), rejected]).toEqual([['bad'], []]);
  failLosses(undefined);
  await store.store([textMessage(s, 'bad'), { ...textMessage(s, 'gap'), kind: 'recording_gap' }]);
  expect([rejected, gaps.length]).toEqual([['bad', 'gap'], 1]);
});

test.each([
  ['marks', ['a', 'b'].map((sessionId) => ({ ...mark(1), sessionId }))],
  ['refused messages', ['a', 'b'].map((sessionId) => textMessage(sessionId, 'refused'))],
])('%s of two sessions whose intervals are locked wait alone', async (_, waiting) => {
  const { store, stored, failLosses } = openStore(failing(REFUSED, 'a', 'b'));
  failLosses(failure('55P03'));
  const result = await store.store([...waiting, textMessage('c', 'stored')]);
  expect(result).toMatchObject({ settledCount: 1, deferred: waiting, rest: [] });
  expect(stored).toEqual(['stored']);
});

test('marks of lost messages keep their position among the messages', async () => {
  const { store, stored } = openStore({});
  const batch: QueuedMessage[] = [
    mark(1),
    textMessage(s, 'a'),
    textMessage(s, 'b'),
    mark(2),
    mark(3),
    textMessage(s, 'c'),
  ];
  expect(await store.store(batch)).toMatchObject({ settledCount: 6, deferred: [], rest: [] });
  expect(stored).toEqual(['1 lost', 'a', 'b', '2 lost', '3 lost', 'c']);
});

test('an empty batch is settled without a statement', async () => {
  const { store, countStatements } = openStore({});
  expect(await store.store([])).toMatchObject({ settledCount: 0, deferred: [], rest: [] });
  expect(countStatements()).toBe(0);
});

test.each(['ECONNREFUSED', '57P01', '53300', '25006', '58030'])(
  'a database that is away (%s) rejects nothing, and what is left is sent again',
  async (code) => {
    const error = failure(code);
    const { store, stored, rejected } = openStore({
      fail: (batch) => (batch.some(({ content }) => content === 'c') ? error : undefined),
    });
    const batch = [textMessage(s, 'a'), textMessage(s, 'b'), mark(1), textMessage(s, 'c'), mark(2)];
    const result = await store.store(batch);
    expect(result).toMatchObject({ settledCount: 3, deferred: [], error });
    expect([contentsOf(result.rest), stored, rejected]).toEqual([
      ['c', 'mark'],
      ['a', 'b', '1 lost'],
      [],
    ]);
  },
);

test('a database that goes away during the halving settles only what it has taken', async () => {
  let isAway = false;
  const { store, stored, rejected } = openStore({
    fail: (batch) => {
      if (isAway) return failure('ECONNREFUSED');
      if (batch.some(({ content }) => content === 'bad')) return failure(REFUSED);
      isAway = true;
      return undefined;
    },
  });
  const result = await store.store(['a', 'b', 'bad', 'c'].map((name) => textMessage(s, name)));
  expect([contentsOf(result.rest), stored, rejected]).toEqual([['bad', 'c'], ['a', 'b'], []]);
});

test.each(['55P03', '57014', 'XX000', '42501', 'P0001', undefined])(
  'one session that fails (%s) is deferred alone, and the others are stored',
  async (code) => {
    const { store, stored, rejected } = openStore(failing(code, 'b'));
    const said = ['a', 'b', 'c', 'a', 'b'].map((name, index) =>
      textMessage(name, `${name} ${index}`),
    );
    const result = await store.store(said);
    // Which session is tried first is random. Until a message is stored, the cause is unknown, so a second attempt may
    // be needed.
    const { deferred, rest } = 'error' in result ? await store.store(said) : result;
    expect([contentsOf(deferred), rest, rejected]).toEqual([['b 1', 'b 4'], [], []]);
    expect(stored.filter((name) => name.startsWith('a')).slice(-2)).toEqual(['a 0', 'a 3']);
  },
);

test('a locked head defers its session alone, without an error', async () => {
  const { store, stored } = openStore({ lockedSessions: ['b'] });
  const said = ['a', 'b', 'c'].map((name) => textMessage(name, name));
  const result = await store.store(said);
  expect([contentsOf(result.deferred), result.rest, stored]).toEqual([['b'], [], ['a', 'c']]);
  expect('error' in result).toBe(false);
});

test.each(['55P03', 'XX000'])(
  'when two sessions fail (%s) and nothing is stored between, the database is away, whatever the number of sessions',
  async (code) => {
    const names = Array.from({ length: 50 }, (_, index) => `session ${index}`);
    const { store, stored, countStatements } = openStore(failing(code, ...names));
    const result = await store.store(names.map((name) => textMessage(name, name)));
    expect([result.rest.length + result.deferred.length, stored]).toEqual([50, []]);
    expect([codeOf(result.error), countStatements()]).toEqual([code, 3]);
  },
);

test('the only session that waits: a lock defers it, an unknown error means that the database is away', async () => {
  const locked = await openStore(failing('55P03', 'a')).store.store(messages('a', 2));
  expect([locked.deferred.length, locked.rest.length]).toEqual([2, 0]);
  const unknown = await openStore(failing('XX000', 'a')).store.store(messages('a', 2));
  expect([unknown.deferred.length, unknown.rest.length]).toEqual([0, 2]);
  // Messages of other sessions wait behind the batch, and will show which of the two is at fault.
  const first = await openStore(failing('XX000', 'a')).store.store(messages('a', 2), false);
  expect([first.deferred.length, first.rest.length]).toEqual([2, 0]);
});

test('two sessions that always fail keep no other from being stored', async () => {
  const { store, stored } = openStore(failing('XX000', 'a', 'b'));
  const said = ['a', 'b', 'c', 'd', 'e'].map((name) => textMessage(name, name));
  // Each attempt ends early with a chance of one in ten.
  for (let attempt = 0; attempt < 50; attempt += 1) await store.store(said);
  expect(new Set(stored)).toEqual(new Set(['c', 'd', 'e']));
});

test('no message of a deferred session overtakes another, also across a mark', async () => {
  let isFirst = true;
  const { store, stored } = openStore({
    fail: (batch) => {
      if (!isFirst || !batch.some(({ sessionId }) => sessionId === s)) return undefined;
      isFirst = batch.length > 1;
      return failure('55P03');
    },
  });
  const said = [textMessage(s, 'a'), textMessage('other', 'b'), mark(1), textMessage(s, 'c')];
  const result = await store.store(said);
  expect([contentsOf(result.deferred), stored]).toEqual([['a', 'mark', 'c'], ['b']]);
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
