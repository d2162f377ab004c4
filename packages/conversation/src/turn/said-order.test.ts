import { expect, test } from 'vitest';
import { saidOrder } from './said-order.ts';

const START = Date.UTC(2026, 10, 21, 8);

function line(role: 'user' | 'assistant', atMs: number, interrupted = false) {
  return { role, at: new Date(START + atMs).toISOString(), interrupted };
}

test.each([
  [350, 'texts that came together stand before the interrupted answer'],
  [351, 'a later text interrupted the answer, and stands behind it'],
])('%i ms after the first text: %s', (atMs) => {
  const first = line('user', 0);
  const second = line('user', atMs);
  const answer = line('assistant', 900, true);
  const expected = atMs === 350 ? [first, second, answer] : [first, answer, second];
  expect(saidOrder([first, second, answer])).toEqual(expected);
});
