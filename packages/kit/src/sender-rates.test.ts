import { describe, expect, test } from 'vitest';
import { SenderRates } from './sender-rates.ts';

const of = (sender: string | null, at: number, more = {}) => ({
  sessionId: 's1',
  sender,
  sizeBytes: 100,
  at,
  ...more,
});

/** Returns how many of `count` messages, spread evenly over a time, are taken. */
function taken(rates: SenderRates, count: number, overMs: number, more = {}): number {
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    const at = (index * overMs) / count;
    if (rates.take(of('user-1', at, more)) === 0) sum += 1;
  }
  return sum;
}

describe('a sender of 20 messages a second', () => {
  test('1,840 messages a second for an hour: a minute’s messages at once, and then 20 a second', () => {
    const count = taken(new SenderRates(20), 1840 * 3600, 3_600_000);
    expect(count).toBeGreaterThan(20 * 3600);
    expect(count).toBeLessThanOrEqual(20 * 60 + 20 * 3600);
  });

  test('20 a second for an hour pass, and so do 1,200 at once after an outage', () => {
    const rates = new SenderRates(20);
    expect(taken(rates, 20 * 3600, 3_600_000)).toBe(72_000);
    const later = Array.from({ length: 1200 }, () => rates.take(of('user-1', 7_200_000)));
    expect(Math.max(...later)).toBe(0);
    expect(rates.take(of('user-1', 7_200_000))).toBe(50);
  });

  test('long texts count by their bytes: 37 of 32,000 bytes each second end at 40 KiB a second', () => {
    const count = taken(new SenderRates(20), 37 * 3600, 3_600_000, { sizeBytes: 32_000 });
    expect(count * 32_000).toBeLessThanOrEqual((60 + 3600) * 20 * 2048);
    expect(count).toBeGreaterThan(4000);
  });

  test('another sender, and the same one in another session, have rates of their own', () => {
    const rates = new SenderRates(1);
    for (let count = 0; count < 60; count += 1) rates.take(of('user-1', 0));
    expect(rates.take(of('user-1', 0))).toBe(1000);
    expect(rates.take(of('user-2', 0))).toBe(0);
    expect(rates.take(of('user-1', 0, { sessionId: 's2' }))).toBe(0);
    expect(rates.take(of(null, 0))).toBe(0);
  });

  test('in all sessions together ten times as many pass', () => {
    const rates = new SenderRates(1);
    const pass = (session: number) => rates.take(of('user-1', 0, { sessionId: `s${session}` }));
    const waits = Array.from({ length: 700 }, (_, index) => pass(index));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(600);
    expect(waits.at(-1)).toBe(100);
  });

  test('what was refused counts for nothing: the wait that was named is enough', () => {
    const rates = new SenderRates(10);
    for (let count = 0; count < 2000; count += 1) rates.take(of('user-1', 0));
    const waitMs = rates.take(of('user-1', 0));
    expect(waitMs).toBe(100);
    expect(rates.take(of('user-1', waitMs))).toBe(0);
  });

  test('after the clock was set back, the sender is as good as new', () => {
    let now = 1_000_000;
    const rates = new SenderRates(20, () => now);
    expect(rates.take(of('user-1', now))).toBe(0);
    now = 400_000;
    expect(rates.waitMs(of('user-1', now))).toBe(0);
    const later = Array.from({ length: 1200 }, () => rates.take(of('user-1', now)));
    expect(Math.max(...later)).toBe(0);
    expect(rates.take(of('user-1', now))).toBe(50);
  });

  test('a message that was received earlier, and comes later, does not renew the rate', () => {
    const rates = new SenderRates(1, () => 100_000);
    for (let count = 0; count < 60; count += 1) rates.take(of('user-1', 100_000));
    expect(rates.take(of('user-1', 99_900))).toBe(1100);
    expect(rates.take(of('user-1', 100_000))).toBe(1000);
  });

  test('a message that costs more than a minute allows passes after a minute', () => {
    const rates = new SenderRates(0.1);
    expect(rates.take(of('user-1', 0, { sizeBytes: 64_000 }))).toBe(0);
    expect(rates.take(of('user-1', 0, { sizeBytes: 64_000 }))).toBe(60_000);
  });
});

test('0 is no limit', () => {
  expect(taken(new SenderRates(0), 100_000, 1)).toBe(100_000);
});
