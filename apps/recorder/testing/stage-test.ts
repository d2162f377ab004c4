import { openDatabase } from '@session/db';
import { createTestDatabase, deleteAllRows } from '@session/testing';
import { test as base } from 'vitest';
import { TestStage } from './stage.ts';

/**
 * A test with `stage`, whose database all tests of its file share: each finds it without rows. A test that kills processes,
 * breaks connections or changes tables opens a stage of its own.
 */
export const test = base
  .extend('create', { scope: 'file' }, () => createTestDatabase)
  .extend('shared', { scope: 'file' }, async ({ create }, { onCleanup }) => {
    const stack = new AsyncDisposableStack();
    onCleanup(() => stack.disposeAsync());
    const { url } = stack.use(await create());
    const limits = { statementTimeoutMs: 60_000, lockTimeoutMs: 60_000 };
    const { sql } = stack.use(openDatabase(url, { connections: 1, ...limits }));
    return { url, empty: () => deleteAllRows(sql) };
  })
  .extend('stage', async ({ shared }, { onCleanup }) => {
    const { url, empty } = shared;
    await empty();
    const stage = await TestStage.open(undefined, async () => ({
      url,
      [Symbol.asyncDispose]: async () => {},
    }));
    onCleanup(() => stage[Symbol.asyncDispose]());
    return stage;
  });
