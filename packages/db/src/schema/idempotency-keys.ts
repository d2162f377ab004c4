import { bytea } from '../columns/bytea.ts';
import { index, pgTable, primaryKey, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

/** The objects that requests with idempotency keys made. `scope`: caller and route. `request_hash`: of the body. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    scope: uuid('scope').notNull(),
    key: text('key').notNull(),
    requestHash: bytea('request_hash').notNull(),
    objectId: uuid('object_id').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ name: 'idempotency_keys_pkey', columns: [t.scope, t.key] }),
    index('idempotency_keys_age').on(t.createdAt),
  ],
);
