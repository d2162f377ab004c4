import { bigint, pgTable, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

export const leases = pgTable('leases', {
  name: text('name').primaryKey(),
  holder: uuid('holder').notNull(),
  fence: bigint('fence', { mode: 'number' }).notNull().default(1),
  expiresAt: timestamptz('expires_at').notNull(),
});
