import type { PostgresType } from 'postgres';

/** PostgreSQL's number of the type `jsonb`: `select oid from pg_type where typname = 'jsonb'`. */
const OID = 3802;

/**
 * How JSON crosses: as its text. What only passes through us, as the metadata of messages, is never parsed, which would cost
 * a third of a page's time; Drizzle parses its columns itself.
 */
export const JSON_TEXT: PostgresType<string> = {
  to: OID,
  from: [OID],
  serialize: String,
  parse: String,
};
