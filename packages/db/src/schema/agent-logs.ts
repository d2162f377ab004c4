import {
  bigint,
  check,
  integer,
  pgTable,
  primaryKey,
  sql,
  text,
  timestamp,
  uuid,
} from '../columns/drizzle.ts';
import { agents } from './agents.ts';

/** The last lines of each agent, a row for each append. `first_line` and `first_byte` count from its very first line. */
export const agentLogs = pgTable(
  'agent_logs',
  {
    agentId: uuid('agent_id')
      .notNull()
      .references(() => agents.id, { onDelete: 'cascade' }),
    firstLine: bigint('first_line', { mode: 'number' }).notNull(),
    firstByte: bigint('first_byte', { mode: 'number' }).notNull(),
    lineCount: integer('line_count').notNull(),
    byteCount: integer('byte_count').notNull(),
    lastAt: timestamp('last_at', { withTimezone: true, mode: 'string' }).notNull(),
    /** In microseconds since 1970, one for each line. */
    times: bigint('times', { mode: 'number' }).array().notNull(),
    lines: text('lines').array().notNull(),
  },
  (t) => [
    primaryKey({ name: 'agent_logs_pkey', columns: [t.agentId, t.firstLine] }),
    check('agent_logs_line_count', sql`${t.lineCount} > 0`),
  ],
);
