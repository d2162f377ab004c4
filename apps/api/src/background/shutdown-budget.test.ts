import { expect, test } from 'vitest';
import { ShutdownBudget } from './shutdown-budget.ts';

const never = new Promise<never>(() => {});

test('what one has waited nobody waits again; what is there is given all the same', async () => {
  const budget = new ShutdownBudget(200);
  expect(await budget.spend(Promise.resolve('written'))).toBe('written');
  await expect(budget.spend(never)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(budget.spend(never)).rejects.toThrow(/within \d(\.\d+)? ms/);
  expect(await budget.spend(Promise.resolve('written'))).toBe('written');
});
