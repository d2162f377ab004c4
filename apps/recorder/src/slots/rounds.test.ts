import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { DatabaseWatch } from './database-watch.ts';
import { Rounds } from './rounds.ts';

const POLL_MS = 2000;

beforeEach(() => startVirtualTime());

/** Returns rounds that call `round`, every two seconds in virtual time. */
function openRounds(round: (count: number) => Promise<void>, awayMs = 0) {
  const ending = new AbortController();
  let begun = 0;
  const rounds = new Rounds({
    async round() {
      begun += 1;
      await round(begun);
    },
    pollMs: () => POLL_MS,
    awayMs,
    database: new DatabaseWatch(logTo(), 0),
    ending: ending.signal,
  });
  return {
    rounds,
    begun: () => begun,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await rounds.ended();
    },
  };
}

test('a round begins at once, then after each pause, without a wake', async () => {
  await using setting = openRounds(async () => {});
  await passTime(3 * POLL_MS - 1);
  expect(setting.begun()).toBe(3);
  await passTime(1);
  expect(setting.begun()).toBe(4);
});

test('two rounds never run at the same time, and many wakes during a round are one round more', async () => {
  const first = Promise.withResolvers<void>();
  await using setting = openRounds((count) => (count === 1 ? first.promise : Promise.resolve()));
  await passTime(0);
  for (let count = 0; count < 5; count += 1) setting.rounds.wake();
  await passTime(POLL_MS);
  expect(setting.begun()).toBe(1);
  first.resolve();
  await passTime(0);
  expect(setting.begun()).toBe(2);
});

test('to verify is to wait for a round that began afterwards, though the database did not answer', async () => {
  const first = Promise.withResolvers<void>();
  await using setting = openRounds(async (count) => {
    if (count === 1) await first.promise;
    else throw new Error('away');
  });
  await passTime(0);
  const verified = setting.rounds.verify();
  first.resolve();
  await verified;
  expect(setting.begun()).toBe(2);
});

test('while the database is away, a wake does not make it be asked more often', async () => {
  await using setting = openRounds(() => Promise.reject(new Error('away')), 3000);
  await setting.rounds.done(new AbortController().signal);
  setting.rounds.wake();
  await passTime(2999);
  expect(setting.begun()).toBe(1);
  await passTime(1);
  expect(setting.begun()).toBe(2);
});

test('the present round is the last when the rounds end, and nothing that verifies waits longer', async () => {
  const round = Promise.withResolvers<void>();
  const setting = openRounds(() => round.promise);
  await passTime(0);
  const verified = setting.rounds.verify();
  const ended = setting[Symbol.asyncDispose]();
  await verified;
  round.resolve();
  await ended;
  expect(setting.begun()).toBe(1);
});
