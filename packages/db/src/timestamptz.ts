import { type PgTimestampStringBuilderInitial, timestamp } from 'drizzle-orm/pg-core';

/** A column of points in time, to the millisecond, that crosses as text: PostgreSQL writes the string, no `Date` is made. */
export function timestamptz<Name extends string>(
  name: Name,
): PgTimestampStringBuilderInitial<Name> {
  return timestamp(name, { withTimezone: true, precision: 3, mode: 'string' });
}
