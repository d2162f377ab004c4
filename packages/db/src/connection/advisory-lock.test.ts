import { createTestDatabase } from '@session/testing';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { withAdvisoryLock } from './advisory-lock.ts';

/** Opens a client with one connection, as a lock needs it. */
function openClient(url: string) {
  const client = postgres(url, { max: 1 });
  onTestFinished(() => client.end({ timeout: 1 }));
  return client;
}

async function lockCount(client: ReturnType<typeof openClient>): Promise<number> {
  const rows = await client`
    select 1 from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`;
  return rows.length;
}

test('of many that want the same lock one works at a time, and each gets its own result', async () => {
  await using database = await createTestDatabase({ isMigrated: false });
  let working = 0;
  const results = await Promise.all(
    [1, 2, 3, 4].map(async (number) => {
      const client = openClient(database.url);
      return await withAdvisoryLock(client, 7, async () => {
        working += 1;
        expect(working).toBe(1);
        await client`select pg_sleep(0.01)`;
        working -= 1;
        return number;
      });
    }),
  );
  expect(results).toEqual([1, 2, 3, 4]);
});

test('work that throws gives the lock back, and its error comes out', async () => {
  await using database = await createTestDatabase({ isMigrated: false });
  const client = openClient(database.url);
  const failure = new Error('no');
  const failed = withAdvisoryLock(client, 7, async () => {
    expect(await lockCount(client)).toBe(1);
    throw failure;
  });
  await expect(failed).rejects.toBe(failure);
  expect(await lockCount(client)).toBe(0);
});

test('another key is another lock', async () => {
  await using database = await createTestDatabase({ isMigrated: false });
  const [first, second] = [openClient(database.url), openClient(database.url)];
  const result = await withAdvisoryLock(first, 7, () =>
    withAdvisoryLock(second, 8, async () => await lockCount(first)),
  );
  expect(result).toBe(2);
});

test('the end of a connection frees its lock, so a killed process keeps nobody waiting', async () => {
  await using database = await createTestDatabase({ isMigrated: false });
  const [holder, next] = [openClient(database.url), openClient(database.url)];
  await holder`select pg_advisory_lock(7)`;
  const waiting = withAdvisoryLock(next, 7, async () => 'free');
  await holder.end({ timeout: 0 });
  expect(await waiting).toBe('free');
});
