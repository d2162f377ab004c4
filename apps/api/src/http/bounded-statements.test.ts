import { expect, test } from 'vitest';
import { boundStatements } from './bounded-statements.ts';

const never = new Promise<never>(() => {});

test('a statement gets its parameters and returns its rows; a failure of the database passes through', async () => {
  const fault = new Error('no such table');
  const bounded = boundStatements(
    {
      list: async (first: number, second: string) => [first, second],
      fail: async () => await Promise.reject(fault),
    },
    30_000,
  );
  expect(await bounded.list(1, 'two')).toEqual([1, 'two']);
  await expect(bounded.fail()).rejects.toBe(fault);
});

test('unavailable when the limit of a statement is over, and a statement with a longer limit still waits', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const queries = { find: () => never, list: () => promise };
  const bounded = boundStatements(queries, 5, { list: 30_000 });
  const listed = bounded.list();
  await expect(bounded.find()).rejects.toMatchObject({ code: 'unavailable' });
  resolve('rows');
  expect(await listed).toBe('rows');
});

test('the statements that were given stay without a limit', async () => {
  const queries = { find: async () => 'row' };
  const before = queries.find;
  boundStatements(queries, 1);
  expect(queries.find).toBe(before);
});
