import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { createTestDatabase, type TestDatabase } from './database.ts';

const migrations = new URL('../../db/migrations/', import.meta.url);

/**
 * Returns a new database as a former release left it: with the migrations up to that `number`. The next start of a program
 * applies the others. Disposal drops the database.
 */
export async function createFormerDatabase(number: number): Promise<TestDatabase> {
  const database = await createTestDatabase({ isMigrated: false });
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`
    create schema drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
  const journal = await readFile(new URL('meta/_journal.json', migrations), 'utf8');
  const { entries }: { entries: { when: number }[] } = JSON.parse(journal);
  const files = (await readdir(migrations)).filter((name) => name.endsWith('.sql')).toSorted();
  for (const [index, file] of files.slice(0, number + 1).entries()) {
    const text = await readFile(new URL(file, migrations), 'utf8');
    await sql.unsafe(text.replaceAll('--> statement-breakpoint', ''));
    const hash = createHash('sha256').update(text).digest('hex');
    await sql`
      insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${hash}, ${entries[index]?.when ?? 0})`;
  }
  await sql.end();
  return database;
}
