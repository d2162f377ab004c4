import { customType, index, pgTable, primaryKey, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });

export const messageSearch = pgTable(
  'message_search',
  {
    sessionId: uuid('session_id').notNull(),
    messageId: uuid('message_id').notNull(),
    projectId: uuid('project_id').notNull(),
    seenAt: timestamptz('seen_at').notNull(),
    words: tsvector('words').notNull(),
  },
  (t) => [
    primaryKey({ name: 'message_search_pkey', columns: [t.sessionId, t.messageId] }),
    // Without the list of pending entries, which a search would have to read as a whole.
    index('message_search_words').using('gin', t.words).with({ fastupdate: false }),
    index('message_search_newest').on(
      t.projectId,
      t.seenAt.desc().nullsFirst(),
      t.messageId.desc().nullsFirst(),
    ),
  ],
);
