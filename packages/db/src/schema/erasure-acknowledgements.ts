import { pgTable, primaryKey, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { erasures } from './erasures.ts';

export const erasureAcknowledgements = pgTable(
  'erasure_acknowledgements',
  {
    erasureId: uuid('erasure_id')
      .notNull()
      .references(() => erasures.id, { onDelete: 'cascade' }),
    recorderId: uuid('recorder_id').notNull(),
    acknowledgedAt: timestamptz('acknowledged_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({
      name: 'erasure_acknowledgements_pkey',
      columns: [t.erasureId, t.recorderId],
    }),
  ],
);
