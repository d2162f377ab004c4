import { pgView, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

/** What dashboards may read of messages: no content, no name, and nothing that agents report. */
export const messageFacts = pgView('message_facts', {
  sessionId: uuid('session_id'),
  kind: text('kind'),
  role: text('role'),
  status: text('status'),
  timestamp: timestamptz('timestamp'),
  gapFrom: text('gap_from'),
  gapTo: text('gap_to'),
  gapReason: text('gap_reason'),
}).as(sql`
  select session_id, kind, role, status, "timestamp",
    case when kind = 'recording_gap' then metadata ->> 'from' end as gap_from,
    case when kind = 'recording_gap' then metadata ->> 'to' end as gap_to,
    case when kind = 'recording_gap' then metadata ->> 'reason' end as gap_reason
  from messages`);
