import type { LastNumber } from '@session/db';
import { expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../../testing/stage.ts';
import type { PendingSession } from '../message-path.ts';
import { LastNumbers } from './last-numbers.ts';

const NOTED_AT = 10_000;
const never = new AbortController().signal;

/** Returns what tests change: whether the database is away, and what is pending. */
function openScene(heartbeatMs = 1) {
  const statements: LastNumber[][] = [];
  const waiting = new Map<string, PendingSession>();
  const state = { isAway: false, undecidedSince: Infinity, whileStoring: () => {} };
  const queries = {
    async noteLastNumbers(numbers: readonly LastNumber[]) {
      if (state.isAway) throw new Error('away');
      statements.push([...numbers]);
      state.whileStoring();
    },
  };
  const log = { debug: vi.fn<() => void>() };
  const last = new LastNumbers({
    queries,
    writer: { waiting },
    undecidedSince: () => state.undecidedSince,
    clock: { now: () => NOTED_AT },
    log,
    timing: { heartbeatMs },
  });
  onTestFinished(async () => await last.end(never));
  return { last, statements, waiting, state, log };
}

function storedIn(statements: readonly LastNumber[][]): string[] {
  return statements
    .flat()
    .map(({ sessionId, identity, q, n }) => [sessionId, identity, q, n].join(' '));
}

test('the newest number of each sequence is stored once, after an outage of the database too', async () => {
  const { last, statements, state, log } = openScene();
  state.isAway = true;
  last.note('session', 'ada', { q: 'one', n: 1 });
  await until(() => log.debug.mock.calls.length > 0);
  last.note('session', 'ada', { q: 'one', n: 2 });
  last.note('session', 'ben', { q: 'two', n: 1 });
  state.isAway = false;
  await until(() => statements.flat().length > 1);
  last.note('session', 'ada', { q: 'one', n: 3 });
  await until(() => statements.flat().length > 2);
  const expected = ['session ada one 2', 'session ben two 1', 'session ada one 3'];
  expect(storedIn(statements)).toEqual(expected);
});

test('a last number waits for the messages of its session, up to 3 s later ones too', async () => {
  const { last, statements, waiting, state } = openScene(86_400_000);
  const isAlone = true;
  last.note('stuck', 'ada', { q: 'one', n: 2 });
  last.note('other', 'ben', { q: 'two', n: 1 });
  waiting.set('stuck', { since: NOTED_AT + 3000, isAlone });
  await last.end(never);
  expect(storedIn(statements)).toEqual(['other ben two 1']);
  waiting.set('stuck', { since: NOTED_AT + 3001, isAlone });
  state.undecidedSince = NOTED_AT + 3000;
  await last.end(never);
  expect(storedIn(statements)).toEqual(['other ben two 1']);
  state.undecidedSince += 1;
  await last.end(never);
  expect(storedIn(statements)).toEqual(['other ben two 1', 'stuck ada one 2']);
});

test('a number that is noted while an older one is stored is stored after it', async () => {
  const { last, statements, state } = openScene(86_400_000);
  last.note('session', 'ada', { q: 'one', n: 1 });
  state.whileStoring = () => last.note('session', 'ada', { q: 'one', n: 2 });
  await last.end(never);
  state.whileStoring = () => {};
  await last.end(never);
  expect(storedIn(statements)).toEqual(['session ada one 1', 'session ada one 2']);
});

test('of a participant 100 sequences wait, and a statement stores 500', async () => {
  const { last, statements } = openScene(86_400_000);
  for (const identity of ['a', 'b', 'c', 'd', 'e', 'f'])
    for (let count = 0; count < 101; count += 1)
      last.note('session', identity, { q: `q${count}`, n: 1 });
  last.note('session', 'a', { q: 'q7', n: 2 });
  await last.end(never);
  expect(statements.map(({ length }) => length)).toEqual([500, 100]);
  expect(storedIn(statements)).toContain('session a q7 2');
  expect(storedIn(statements)).not.toContain('session a q100 1');
});

test('the end waits for a silent database until its signal', async () => {
  const running = Promise.withResolvers<never>();
  const noteLastNumbers = async () => await running.promise;
  const last = new LastNumbers({
    queries: { noteLastNumbers },
    writer: { waiting: new Map() },
    undecidedSince: () => Infinity,
    clock: { now: () => NOTED_AT },
    log: { debug() {} },
    timing: { heartbeatMs: 86_400_000 },
  });
  last.note('session', 'ada', { q: 'one', n: 1 });
  const ended = new AbortController();
  const ending = last.end(ended.signal);
  ended.abort();
  await expect(ending).resolves.toBeUndefined();
});
