import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SilenceTimer } from './silence-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LIMITS = { firstTokenMs: 2000, idleMs: 500 };

/** Waits for one part of an answer, which arrives after `ms`. */
async function waitFor(timer: SilenceTimer, ms: number): Promise<void> {
  const part = timer.wait(new Promise<void>((resolve) => setTimeout(resolve, ms)));
  await vi.advanceTimersByTimeAsync(ms);
  await part;
}

function reasonOf({ signal }: SilenceTimer): string | undefined {
  return signal.aborted ? signal.reason.message : undefined;
}

test('the first token may take all of its time, over parts without a token too, and no millisecond more', async () => {
  const timer = new SilenceTimer(LIMITS);
  await waitFor(timer, 1500);
  await waitFor(timer, 499);
  expect(reasonOf(timer)).toBeUndefined();
  void timer.wait(new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(1);
  expect(timer.signal.reason).toMatchObject({ kind: 'stalled' });
  expect(reasonOf(timer)).toBe('the model stalled: no first token');
});

test('each token begins the silence between two tokens again; a part without a token does not', async () => {
  const timer = new SilenceTimer(LIMITS);
  for (let token = 0; token < 1000; token += 1) {
    timer.reset();
    await waitFor(timer, 499);
  }
  timer.reset();
  await waitFor(timer, 300);
  await waitFor(timer, 199);
  expect(reasonOf(timer)).toBeUndefined();
  void timer.wait(new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(1);
  expect(reasonOf(timer)).toBe('the model stalled: silence between two tokens');
});

test('the time of the reader does not count', async () => {
  const timer = new SilenceTimer(LIMITS);
  timer.reset();
  for (let part = 0; part < 4; part += 1) {
    await waitFor(timer, 100);
    await vi.advanceTimersByTimeAsync(3_600_000);
  }
  await waitFor(timer, 99);
  expect(reasonOf(timer)).toBeUndefined();
  void timer.wait(new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(1);
  expect(reasonOf(timer)).toBe('the model stalled: silence between two tokens');
});

test('a part whose wait failed leaves no timer', async () => {
  const timer = new SilenceTimer(LIMITS);
  await expect(timer.wait(Promise.reject(new Error('broken off')))).rejects.toThrow('broken off');
  expect(vi.getTimerCount()).toBe(0);
});
