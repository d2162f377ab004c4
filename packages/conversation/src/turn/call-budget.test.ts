import { expect, test } from 'vitest';
import { CallBudget } from './call-budget.ts';

test('twenty calls in any minute, and the next one a minute after the first', () => {
  let now = 0;
  const budget = new CallBudget(undefined, () => now);
  for (; now < 20_000; now += 1000) budget.take();
  now = 59_999;
  expect(() => budget.take()).toThrow('more than 20 calls in a minute');
  now = 60_000;
  budget.take();
  expect(() => budget.take()).toThrow('more than 20 calls in a minute');
  expect(budget.total.modelCalls).toBe(21);
});

test('a budget is spent with its last token', () => {
  const budget = new CallBudget(10, () => 0);
  budget.spend({ promptTokens: 6, completionTokens: 3 });
  expect(budget.isSpent).toBe(false);
  budget.spend({ promptTokens: 0, completionTokens: 1 });
  expect(budget.isSpent).toBe(true);
});
