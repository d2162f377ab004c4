import { pause } from '@session/kit';
import { expect, test } from 'vitest';
import { until } from '../../testing/stage.ts';
import { DatabaseWatch } from './database-watch.ts';
import { Rounds } from './rounds.ts';

const LONG_MS = 600_000;

/** Rounds that do what the test says, with a long pause between them. */
function openRounds(
  round: (count: number) => Promise<void>,
  { pollMs = LONG_MS, awayMs = 0 } = {},
) {
  const ending = new AbortController();
  let begun = 0;
  const rounds = new Rounds({
    async round() {
      begun += 1;
      await round(begun);
    },
    pollMs: () => pollMs,
    awayMs,
    database: new DatabaseWatch({ info: () => {}, warn: () => {} }, 0),
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
  await using setting = openRounds(async () => {}, { pollMs: 1 });
  const begun = await until(() => setting.begun() > 3 && setting.begun());
  expect(begun).toBeGreaterThan(3);
});

test('two rounds never run at the same time, and many wakes during a round are one round more', async () => {
  const first = Promise.withResolvers<void>();
  await using setting = openRounds((count) => (count === 1 ? first.promise : Promise.resolve()));
  await until(() => setting.begun() === 1);
  for (let count = 0; count < 5; count += 1) setting.rounds.wake();
  await pause(1, new AbortController().signal);
  expect(setting.begun()).toBe(1);
  first.resolve();
  await until(() => setting.begun() === 2);
});

test('to verify is to wait for a round that began afterwards, though the database did not answer', async () => {
  const first = Promise.withResolvers<void>();
  await using setting = openRounds(async (count) => {
    if (count === 1) await first.promise;
    else throw new Error('away');
  });
  await until(() => setting.begun() === 1);
  const verified = setting.rounds.verify();
  first.resolve();
  await verified;
  expect(setting.begun()).toBe(2);
});

test('while the database is away, a wake does not make it be asked more often', async () => {
  await using setting = openRounds(() => Promise.reject(new Error('away')), { awayMs: LONG_MS });
  await setting.rounds.done(new AbortController().signal);
  setting.rounds.wake();
  await pause(1, new AbortController().signal);
  expect(setting.begun()).toBe(1);
});

test('the present round is the last when the rounds end, and nothing that verifies waits longer', async () => {
  const round = Promise.withResolvers<void>();
  const setting = openRounds(() => round.promise);
  await until(() => setting.begun() === 1);
  const verified = setting.rounds.verify();
  const ended = setting[Symbol.asyncDispose]();
  await verified;
  round.resolve();
  await ended;
  expect(setting.begun()).toBe(1);
});
