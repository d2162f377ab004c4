import { migrate } from '@session/db';
import postgres, { type Sql } from 'postgres';

/**
 * Returns the URL of the database `name`, which is created once, with the rows that `load` stores. SQL can call
 * `pg_temp.uuid_of(text)` meanwhile: the same UUID for the same text, which looks like a random one.
 */
export async function provideDatabase(
  adminUrl: string,
  name: string,
  load: (sql: Sql) => Promise<void>,
): Promise<string> {
  const draft = `${name}_draft`;
  await using stack = new AsyncDisposableStack();
  const admin = stack.adopt(postgres(adminUrl, { max: 1, onnotice: () => {} }), (sql) => sql.end());
  const urlOf = (database: string) =>
    Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href;
  if ((await admin`select from pg_database where datname = ${name}`).length > 0) return urlOf(name);
  await admin.unsafe(`drop database if exists ${draft}`);
  await admin.unsafe(`create database ${draft}`);
  await migrate(urlOf(draft));
  const sql = postgres(urlOf(draft), { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`
      create function pg_temp.uuid_of(text) returns uuid immutable parallel safe language sql
      return overlay(overlay(md5($1) placing '4' from 13) placing '8' from 17)::uuid`);
    await load(sql);
  } finally {
    await sql.end();
  }
  await admin.unsafe(`alter database ${draft} rename to ${name}`);
  return urlOf(name);
}
