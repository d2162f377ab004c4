import { expect, test } from 'vitest';
import { ShutdownBudget } from './shutdown-budget.ts';

const never = new Promise<never>(() => {});

test('waiting uses the budget up for all later waits; a result that is there already is still returned', async () => {
  const budget = new ShutdownBudget(200);
  expect(await budget.spend(Promise.resolve('written'))).toBe('written');
  await expect(budget.spend(never)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(budget.spend(never)).rejects.toThrow(/within \d(\.\d+)? ms/);
  expect(await budget.spend(Promise.resolve('written'))).toBe('written');
});
