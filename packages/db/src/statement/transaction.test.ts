import { expect, test } from 'vitest';
import { createTestProject } from '../../testing/project.ts';
import { openDatabase } from '../connection/client.ts';
import type { DatabaseAccess } from './statement.ts';
import { inTransaction } from './transaction.ts';

async function openSetting() {
  const project = await createTestProject();
  await project.sql`create table steps (name text)`;
  return {
    project,
    steps: async () => {
      const rows = await project.sql<{ name: string }[]>`select name from steps order by name`;
      return rows.map(({ name }) => name);
    },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  };
}

const step = async ({ sql }: DatabaseAccess, name: string) =>
  await sql`insert into steps values (${name})`;

test('what is done is there for others after the end, and not before', async () => {
  await using setting = await openSetting();
  const { project, steps } = setting;
  await inTransaction(project, async (transaction) => {
    await step(transaction, 'a');
    expect(await steps()).toEqual([]);
  });
  expect(await steps()).toEqual(['a']);
});

test.each([
  ['a number', 7],
  ['undefined', undefined],
  ['an array', [1, [2]]],
  ['an array of promises, as it is', [Promise.resolve(1)]],
])('the result of the work is the result of the transaction: %s', async (_, result) => {
  await using setting = await openSetting();
  expect(await inTransaction(setting.project, async () => result)).toBe(result);
});

test('work that throws is undone, and its own error comes out', async () => {
  await using setting = await openSetting();
  const { project, steps } = setting;
  const failure = new Error('no');
  const failed = inTransaction(project, async (transaction) => {
    await step(transaction, 'a');
    throw failure;
  });
  await expect(failed).rejects.toBe(failure);
  expect(await steps()).toEqual([]);
});

test('a statement that fails undoes all, though its error was caught', async () => {
  await using setting = await openSetting();
  const { project, steps } = setting;
  const failed = inTransaction(project, async (transaction) => {
    await step(transaction, 'a');
    await transaction.sql`select 1 / 0`.catch(() => {});
    await step(transaction, 'b').catch(() => {});
  });
  await expect(failed).rejects.toMatchObject({ code: '22012' });
  expect(await steps()).toEqual([]);
});

test('a transaction within a transaction can be undone by itself', async () => {
  await using setting = await openSetting();
  const { project, steps } = setting;
  await inTransaction(project, async (outer) => {
    await step(outer, 'a');
    const inner = inTransaction(outer, async (savepoint) => {
      await step(savepoint, 'b');
      await savepoint.sql`select 1 / 0`;
    });
    await expect(inner).rejects.toMatchObject({ code: '22012' });
    const kept = await inTransaction(outer, async (savepoint) => {
      await step(savepoint, 'c');
      return 'kept';
    });
    expect(kept).toBe('kept');
  });
  expect(await steps()).toEqual(['a', 'c']);
});

test('the end of the outer transaction undoes the inner ones too', async () => {
  await using setting = await openSetting();
  const { project, steps } = setting;
  const failure = new Error('no');
  const failed = inTransaction(project, async (outer) => {
    await inTransaction(outer, async (savepoint) => await step(savepoint, 'a'));
    throw failure;
  });
  await expect(failed).rejects.toBe(failure);
  expect(await steps()).toEqual([]);
});

test('a connection is free again after each transaction, also after those that failed', async () => {
  await using setting = await openSetting();
  await using own = openDatabase(setting.project.url, { connections: 1 });
  for (let turn = 0; turn < 5; turn += 1) {
    const failed = inTransaction(own, async ({ sql }) => await sql`select 1 / ${turn % 2}::int`);
    await failed.catch(() => {});
    await inTransaction(own, async (transaction) => await step(transaction, `${turn}`));
  }
  expect(await setting.steps()).toEqual(['0', '1', '2', '3', '4']);
});
