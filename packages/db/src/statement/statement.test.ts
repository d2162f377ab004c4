import { readdir, readFile } from 'node:fs/promises';
import { createTestDatabase } from '@session/testing';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { statementsByModule } from '../../testing/statements-by-module.ts';
import { openDatabase } from '../connection/client.ts';
import { statement } from './statement.ts';

const MODULES = await statementsByModule();
const STATEMENTS = Object.values(MODULES).flat();

const sourceFolder = new URL('../', import.meta.url);

test('every statement parses, and names only tables and columns that the migrations create', async () => {
  await using database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  const faults: string[] = [];
  for (const { name, text } of STATEMENTS) {
    await sql.unsafe(`prepare ${name} as ${text}`).catch((error: Error) => {
      faults.push(`${name}: ${error.message}`);
    });
  }
  await sql.end();
  expect(faults).toEqual([]);
});

test('every statement takes as many parameters as its text has, without a gap in their numbers', async () => {
  await using database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  for (const { name, text } of STATEMENTS) await sql.unsafe(`prepare ${name} as ${text}`);
  const prepared = await sql<{ name: string; count: number }[]>`
    select name, cardinality(parameter_types) as count from pg_prepared_statements where from_sql`;
  await sql.end();
  expect(prepared).toHaveLength(STATEMENTS.length);
  for (const { name, count } of prepared) {
    const numbers = new Set(STATEMENTS.find((one) => one.name === name)?.text.match(/\$\d+/g));
    expect([name, numbers.size]).toEqual([name, count]);
  }
});

test('the names of statements are unique and in snake case, so that a slow one in PostgreSQL leads to one function', () => {
  const names = STATEMENTS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
});

test('no statement escapes these tests: each module exports all that it makes', async () => {
  const files = await readdir(sourceFolder, { recursive: true });
  const made = new Map<string, number>();
  for (const file of files.filter((name) => /(?<!\.test)\.ts$/.test(name))) {
    const source = await readFile(new URL(file, sourceFolder), 'utf8');
    const { length } = source.match(/(?<!function )\bstatement[<(]/g) ?? [];
    if (length > 0) made.set(file, length);
  }
  const listed = Object.entries(MODULES).map(([file, { length }]) => [file, length]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(made));
});

test('every query module has a test file of its own name', async () => {
  const files = await readdir(new URL('queries/', sourceFolder), { recursive: true });
  const untested = files
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .filter((file) => !files.includes(file.replace(/\.ts$/, '.test.ts')));
  expect(untested).toEqual([]);
});

test('a statement runs prepared, under its name, and returns what its function makes of the rows', async () => {
  await using database = await createTestDatabase();
  await using own = openDatabase(database.url, { connections: 1 });
  const double = statement(
    'double',
    (number: number) => [number],
    (rows: { doubled: number }[]) => rows.map(({ doubled }) => doubled),
  )`
select 2 * $1::int as doubled
`;
  expect(double.name).toBe('double');
  expect(await double(own, 21)).toEqual([42]);
  await double(own, 4);
  const prepared = await own.sql`
    select statement, generic_plans + custom_plans as runs from pg_prepared_statements
    where statement like '%doubled%' and statement not like '%pg_prepared_statements%'`;
  expect(prepared).toEqual([
    { statement: '/* double */ select 2 * $1::int as doubled', runs: '2' },
  ]);
});
