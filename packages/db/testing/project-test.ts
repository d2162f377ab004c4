import { createTestDatabase, deleteAllRows } from '@session/testing';
import { test as base } from 'vitest';
import { openDatabase } from '../src/connection/client.ts';
import { insertTestProject } from './project.ts';

/**
 * A test with a `project` in a database that all tests of its file share: each finds it without other rows. A test that ends
 * connections, changes tables or looks at plans makes a database of its own with `createTestProject`.
 */
export const test = base
  .extend('create', { scope: 'file' }, () => createTestDatabase)
  .extend('database', { scope: 'file' }, async ({ create }, { onCleanup }) => {
    const stack = new AsyncDisposableStack();
    onCleanup(() => stack.disposeAsync());
    const { url } = stack.use(await create());
    const { sql } = stack.use(openDatabase(url));
    return { url, sql };
  })
  .extend('project', async ({ database }) => {
    await deleteAllRows(database.sql);
    return await insertTestProject(database);
  });
