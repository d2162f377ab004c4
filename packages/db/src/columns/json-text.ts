import type { PostgresType } from 'postgres';

/** PostgreSQL's number of the type `jsonb`: `select oid from pg_type where typname = 'jsonb'`. */
const OID = 3802;

/**
 * Passes JSON as its text. Parsing JSON that only passes through, as the metadata of messages, would cost a third of the
 * time that a page takes. Queries that need the value parse it themselves.
 */
export const JSON_TEXT: PostgresType<string> = {
  to: OID,
  from: [OID],
  serialize: String,
  parse: String,
};
