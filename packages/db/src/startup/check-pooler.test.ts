import { randomUUID } from 'node:crypto';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { createSuccessor, dropSuccessor } from '../../testing/successor.ts';
import { openDatabase } from '../connection/client.ts';
import { checkPooler } from './check-pooler.ts';

test('the commands for missing limits name the role that signs in, not the one that a setting puts in its place', async () => {
  await using database = await createTestDatabase();
  await using admin = openDatabase(database.url, { connections: 1 });
  const owner = `owner_${randomUUID().replaceAll('-', '')}`;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => dropSuccessor(admin, owner));
  const databaseUrl = await createSuccessor({ ...admin, url: database.url }, owner);
  const stop = new AbortController().signal;
  const checked = checkPooler(
    { databaseUrl, databaseDirectUrl: databaseUrl },
    { timeoutMs: 30_000, stop },
  );
  await expect(checked).rejects.toThrow(`alter role "${owner}_next" in database`);
});
