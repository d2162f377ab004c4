import { createTestDatabase } from '@session/testing';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../connection/client.ts';
import { allRows } from '../statement/rows.ts';
import { statement } from '../statement/statement.ts';

let database: Database;

beforeAll(async () => {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  database = stack.use(openDatabase(url, { connections: 2 }));
  return () => stack.disposeAsync();
});

const ECHO_TEXTS = statement(
  'echo_texts',
  (...parameters: [readonly string[]]) => parameters,
  allRows<{ values: string[]; count: number }>,
)`
select $1::text[] as values, cardinality($1::text[]) as count`;

const ECHO_BIGINTS = statement(
  'echo_bigints',
  (...parameters: [readonly number[]]) => parameters,
  allRows<{ values: string[] }>,
)`
select $1::bigint[] as values`;

/** PostgreSQL's text cannot hold NUL, and lone surrogates are not valid text. */
const TEXT = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
const TRICKY = fc.constantFrom('', 'null', 'NULL', '{}', '"', '\\', '\\"', ',', ' ', '{"a"}', "'");

test('every array of texts comes back as it went', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(TEXT, TRICKY), { maxLength: 6 }), async (values) => {
      const [row] = await ECHO_TEXTS(database, values);
      expect(row).toEqual({ values, count: values.length });
    }),
    { numRuns: 150 },
  );
});

test('every array of whole numbers comes back, as strings', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.maxSafeInteger(), { maxLength: 6 }), async (values) => {
      const [row] = await ECHO_BIGINTS(database, values);
      expect(row?.values).toEqual(values.map(String));
    }),
    { numRuns: 60 },
  );
});

test('an array with NUL is refused as a bad value, and the connection stays usable', async () => {
  await expect(ECHO_TEXTS(database, ['a\0b'])).rejects.toMatchObject({
    code: expect.stringMatching(/^22/),
  });
  const [row] = await ECHO_TEXTS(database, ['fine']);
  expect(row?.values).toEqual(['fine']);
});
