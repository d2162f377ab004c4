import { bytea } from '../columns/bytea.ts';
import { check, index, pgTable, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { followers } from './followers.ts';

/**
 * The signing secrets are sealed: `ciphertext` holds the current one, and former ones with their ends. `previous_until` is
 * the end of the newest former one.
 */
export const webhooks = pgTable(
  'webhooks',
  {
    id: uuid('id')
      .primaryKey()
      .references(() => followers.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    description: text('description').notNull().default(''),
    /** The types that are sent; empty: all but `message.pending`. */
    events: text('events').array().notNull(),
    content: text('content', { enum: ['full', 'none'] })
      .notNull()
      .default('full'),
    keyId: text('key_id').notNull(),
    nonce: bytea('nonce').notNull(),
    ciphertext: bytea('ciphertext').notNull(),
    previousUntil: timestamptz('previous_until'),
    createdBy: uuid('created_by').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('webhooks_content', sql`${t.content} in ('full', 'none')`),
    index('webhooks_key').on(t.keyId),
  ],
);
