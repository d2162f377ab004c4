import { afterEach, expect, test, vi } from 'vitest';
import { refusal } from '../../testing/fake-service.ts';
import { ConnectionError } from '../http/api-error.ts';
import { Reading } from './reading.ts';

afterEach(() => void vi.useRealTimers());

const nothing = () => {};

test('the API is asked by the first subscriber, once, and again by refresh', async () => {
  let count = 0;
  const reading = new Reading(async () => {
    count += 1;
    return count;
  });
  reading.refresh();
  expect([count, reading.getSnapshot().value]).toEqual([0, undefined]);
  const changed = vi.fn<() => void>();
  const leave = reading.subscribe(changed);
  const other = reading.subscribe(nothing);
  await expect.poll(reading.getSnapshot).toEqual({ value: 1, error: null });
  reading.refresh();
  await expect.poll(reading.getSnapshot).toEqual({ value: 2, error: null });
  expect(changed).toHaveBeenCalledTimes(2);
  leave();
  other();
  reading.refresh();
  expect(count).toBe(2);
});

test('it is read again until the last subscriber leaves, which ends a running read', async () => {
  const signals: AbortSignal[] = [];
  const answers = [1, 2];
  const waits: (number | undefined)[] = [];
  const reading = new Reading(
    async (signal) => {
      signals.push(signal);
      return answers.shift() ?? (await Promise.withResolvers<number>().promise);
    },
    (value) => {
      waits.push(value);
      return 0;
    },
  );
  const leave = reading.subscribe(nothing);
  await expect.poll(() => signals.length).toBe(3);
  expect([reading.getSnapshot().value, waits]).toEqual([2, [1, 2]]);
  leave();
  expect(signals.at(-1)?.aborted).toBe(true);
});

test('what is read only once is read again after a failure, until it succeeds', async () => {
  vi.useFakeTimers();
  const away = new ConnectionError('away');
  const outcomes: (number | Error)[] = [away, away, 1];
  const reading = new Reading(async () => {
    const outcome = outcomes.shift() ?? 2;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  const leave = reading.subscribe(nothing);
  await vi.advanceTimersByTimeAsync(0);
  expect(reading.getSnapshot()).toEqual({ value: undefined, error: away });
  await vi.advanceTimersByTimeAsync(3999);
  expect(outcomes).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reading.getSnapshot()).toEqual({ value: 1, error: null });
  leave();
  expect(vi.getTimerCount()).toBe(0);
});

test('a failure keeps the value and is tried again; a refusal is not, until refresh', async () => {
  const away = new ConnectionError('away');
  const refused = refusal(404, 'not_found');
  const outcomes: (number | Error)[] = [1, away, 2, refused];
  const reading = new Reading(
    async () => {
      const outcome = outcomes.shift() ?? 3;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    () => 0,
  );
  const seen: unknown[] = [];
  const leave = reading.subscribe(() => seen.push(reading.getSnapshot()));
  await expect.poll(() => seen.at(-1)).toEqual({ value: 2, error: refused });
  expect(seen).toEqual([
    { value: 1, error: null },
    { value: 1, error: away },
    { value: 2, error: null },
    { value: 2, error: refused },
  ]);
  reading.refresh();
  await expect.poll(() => reading.getSnapshot().error).toBeNull();
  expect(reading.getSnapshot().value).toBe(3);
  leave();
});
