import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { plainProgress } from './progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('work that ends within a second is not mentioned', async () => {
  const lines: string[] = [];
  const { during } = plainProgress((text) => lines.push(text));
  expect(await during('Thinking', async () => await Promise.resolve(42))).toBe(42);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toEqual([]);
});

test('longer work is mentioned after a second, then every 15 s with its last note, and not at its end', async () => {
  const lines: string[] = [];
  const { during } = plainProgress((text) => lines.push(text));
  const { promise, resolve } = Promise.withResolvers<string>();
  const work = during('Building', (note) => {
    note('7 packages');
    return promise;
  });
  await vi.advanceTimersByTimeAsync(31_000);
  resolve('built');
  expect(await work).toBe('built');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toEqual([
    'Building …\n',
    'Building … 15 s, 7 packages\n',
    'Building … 30 s, 7 packages\n',
  ]);
});
