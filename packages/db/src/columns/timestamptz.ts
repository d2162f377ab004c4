import type { PgTimestampStringBuilderInitial } from 'drizzle-orm/pg-core';
import { timestamp } from './drizzle.ts';

export function timestamptz<Name extends string>(
  name: Name,
): PgTimestampStringBuilderInitial<Name> {
  return timestamp(name, { withTimezone: true, precision: 3, mode: 'string' });
}
