import postgres from 'postgres';
import { expect, test } from 'vitest';
import { createTestDatabase } from './database.ts';

test('two databases have the same tables without rows, and share nothing', async () => {
  await using first = await createTestDatabase();
  await using second = await createTestDatabase();
  const [one, other] = [connect(first.url), connect(second.url)];
  await one`insert into users (id, email, password_hash, name) values (gen_random_uuid(), 'ana@example.org', '-', 'Ana')`;
  expect(await one`select name from users`).toHaveLength(1);
  expect(await other`select name from users`).toEqual([]);
  await Promise.all([one.end(), other.end()]);
});

test('a database that is not migrated has no tables', async () => {
  await using database = await createTestDatabase({ isMigrated: false });
  const sql = connect(database.url);
  const tables =
    await sql`select from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
  expect(tables).toEqual([]);
  await sql.end();
});

test('after its disposal a database is gone, also while a client is connected', async () => {
  const database = await createTestDatabase();
  const sql = connect(database.url);
  await sql`select 1`;
  await database[Symbol.asyncDispose]();
  await expect(sql`select 1`).rejects.toMatchObject({ code: expect.any(String) });
  await sql.end({ timeout: 0 });
  const again = connect(database.url);
  await expect(again`select 1`).rejects.toMatchObject({ code: '3D000' });
  await again.end({ timeout: 0 });
});

function connect(url: string) {
  return postgres(url, { max: 1, onnotice: () => {} });
}
