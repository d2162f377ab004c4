import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SpreadWake } from './spread-wake.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/**
 * Notifies 200 recorders, each with `otherRecorders` others. Returns a function that counts the recorders that are
 * awake after a time.
 */
function wakes(otherRecorders: number) {
  let awake = 0;
  for (let index = 0; index < 200; index += 1) {
    const spread = new SpreadWake(() => {
      awake += 1;
    });
    spread.otherRecorders = otherRecorders;
    spread.notified();
    spread.notified();
  }
  return (ms: number) => {
    vi.advanceTimersByTime(ms);
    return awake;
  };
}

test('a recorder that is alone, or beside one other, wakes at once', () => {
  expect(wakes(0)(1)).toBe(200);
  expect(wakes(1)(6)).toBe(200);
});

test('a recorder whose share of the time is next to nothing wakes at once', () => {
  // The fake clock parses a delay as text, so 9.5e-7 ms would become 9 ms.
  vi.spyOn(Math, 'random').mockReturnValue(1.9e-7);
  expect(wakes(1)(1)).toBe(200);
});

test('many recorders wake one after another, each once, within half a second', () => {
  const after = wakes(500);
  const early = after(250);
  expect(early).toBeGreaterThan(40);
  expect(early).toBeLessThan(160);
  expect(after(251)).toBe(200);
  expect(after(1000)).toBe(200);
});

test('a hundred joins a second for ten seconds wake a recorder four times a second, at once and after the last of them', () => {
  const wokenAt: number[] = [];
  const began = performance.now();
  const wake = new SpreadWake(() => wokenAt.push(performance.now() - began), { restMs: 250 });
  for (let joins = 0; joins < 1000; joins += 1) {
    wake.notified();
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(1000);
  expect(wokenAt[0]).toBeLessThanOrEqual(1);
  expect(wokenAt.length).toBe(41);
  expect(wokenAt.at(-1)).toBeGreaterThan(9990);
});

test('a recorder that ends is not woken', () => {
  let wokenTimes = 0;
  const spread = new SpreadWake(() => {
    wokenTimes += 1;
  });
  spread.notified();
  spread[Symbol.dispose]();
  vi.advanceTimersByTime(1000);
  expect(wokenTimes).toBe(0);
});
