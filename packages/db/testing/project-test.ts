import { createTestDatabase, deleteAllRows } from '@session/testing';
import { test as base } from 'vitest';
import { insertTestProject, openTestDatabase } from './project.ts';

/**
 * A test with a `project` in a database that all tests of its file share. Each test finds the database without other rows. A
 * test that ends connections, changes tables or looks at plans makes a database of its own with `createTestProject`.
 */
export const test = base
  .extend('create', { scope: 'file' }, () => createTestDatabase)
  .extend('database', { scope: 'file' }, async ({ create }, { onCleanup }) => {
    const stack = new AsyncDisposableStack();
    onCleanup(() => stack.disposeAsync());
    const { url } = stack.use(await create());
    return stack.use(openTestDatabase(url));
  })
  .extend('project', async ({ database }) => {
    await deleteAllRows(database.fill);
    return await insertTestProject(database);
  });
