import { openDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { test as base } from 'vitest';
import { TestStage } from './stage.ts';

// Without triggers and foreign keys, in whatever order.
const EMPTY = `
  do $$
  declare name text;
  begin
    set local session_replication_role = replica;
    for name in select tablename from pg_tables where schemaname = 'public' loop
      execute format('delete from %I', name);
    end loop;
  end $$`;

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
    const { sql } = stack.use(openDatabase(url, { connections: 1 }));
    return { url, [Symbol.asyncDispose]: async () => void (await sql.unsafe(EMPTY)) };
  })
  .extend('stage', async ({ shared }, { onCleanup }) => {
    const stage = await TestStage.open(undefined, async () => shared);
    onCleanup(() => stage[Symbol.asyncDispose]());
    return stage;
  });
