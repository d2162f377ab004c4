import type { PostgresType } from 'postgres';
import { parse } from 'postgres-array';

/** PostgreSQL's object ids of the array types in our statements: `select oid from pg_type where typname = '_uuid'`. */
const OIDS = { bigints: 1016, texts: 1009, uuids: 2951 };

/**
 * Given here, because the client would otherwise query all types on each new connection, and an error in that query
 * ends the process.
 */
export const ARRAY_TYPES = {
  bigints: arrayType(OIDS.bigints),
  texts: arrayType(OIDS.texts),
  uuids: arrayType(OIDS.uuids),
};

function arrayType(oid: number): PostgresType<readonly (number | string)[]> {
  return { to: oid, from: [oid], serialize: serializeArray, parse: parseArray };
}

function serializeArray(values: readonly (number | string)[]): string {
  const elements = values.map((value) => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`);
  return `{${elements.join()}}`;
}

function parseArray(text: string): string[] {
  return parse(text, (element) => element);
}
