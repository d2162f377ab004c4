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
  database = stack.use(openDatabase(url, { connections: 1 }));
  return () => stack.disposeAsync();
});

const ECHO_TIME = statement('echo_time', (iso: string) => [iso], allRows<{ at: string }>)`
select $1::timestamptz(3) as at`;

test('every point in time to the millisecond comes back as the ISO 8601 that it was', async () => {
  const time = fc.date({
    min: new Date('1970-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  await fc.assert(
    fc.asyncProperty(time, async (date) => {
      const [row] = await ECHO_TIME(database, date.toISOString());
      expect(row?.at).toBe(date.toISOString());
    }),
    { numRuns: 200 },
  );
});

test('a time in another zone comes back in UTC', async () => {
  const [row] = await ECHO_TIME(database, '2026-11-21T01:30:00.050+05:30');
  expect(row?.at).toBe('2026-11-20T20:00:00.050Z');
});

const ECHO_JSON = statement(
  'echo_json',
  (json: string) => [json],
  allRows<{ json: string; kind: string }>,
)`
select $1::text::jsonb as json, jsonb_typeof($1::text::jsonb) as kind`;

test('every JSON value comes back as the text of the same value, and is not encoded twice', async () => {
  // PostgreSQL refuses NUL and lone surrogates in JSON, and writes -0 as 0.
  const value = fc
    .jsonValue({ noUnicodeString: false })
    .filter((json) => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(json)));
  await fc.assert(
    fc.asyncProperty(value, async (json) => {
      const [row] = await ECHO_JSON(database, JSON.stringify(json));
      expect(typeof row?.json).toBe('string');
      expect(JSON.parse(row?.json ?? '')).toEqual(JSON.parse(JSON.stringify(json)));
    }),
    { numRuns: 150 },
  );
  const [row] = await ECHO_JSON(database, '{"a": 1}');
  expect(row?.kind).toBe('object');
});

const ECHO_BYTES = statement('echo_bytes', (bytes: Buffer) => [bytes], allRows<{ bytes: Buffer }>)`
select $1::bytea as bytes`;

test('all bytes come back as they went', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const [row] = await ECHO_BYTES(database, Buffer.from(bytes));
      expect(row?.bytes.equals(bytes)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
