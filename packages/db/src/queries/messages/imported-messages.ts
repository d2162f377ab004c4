import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { auditText } from '../operations/audit-events.ts';
import type { MessageRow } from './read-messages.ts';
import { whileActive } from './say-message.ts';

/** A time before every message. A message may be imported with the time 0 of 1970. */
export const BEFORE_ALL = '1969-12-31T23:59:59.999Z';

export interface ImportedMessageRow extends Pick<MessageRow, 'id' | 'role' | 'content'> {
  /** When it was said, in milliseconds since 1970. */
  readonly saidAt: number;
  readonly metadata: object;
}

/**
 * - `taken`: the message `index` of the request has the id of another message.
 * - `begun`: the session has messages that were not imported.
 * - `out_of_order`: a message is older than the newest one of the session. A request may end between messages that were
 *   said at the same time, and the last of these gets a later timestamp. So a message is in order, and is stored behind
 *   the newest one, if every millisecond from its own time to that of the newest is taken. It is not in order if a
 *   stored message follows it in the request.
 * - `in_future`: a message is more than 1 s later than the database's clock.
 * - `ahead`: the same import can succeed after `waitMs`.
 */
export type ImportOutcome =
  | { readonly outcome: 'imported'; readonly imported: number }
  | { readonly outcome: 'taken'; readonly index: number }
  | { readonly outcome: 'ahead'; readonly waitMs: number }
  | { readonly outcome: 'begun' | 'out_of_order' | 'in_future' | 'closed' };

interface Verdict {
  readonly outcome: Exclude<ImportOutcome['outcome'], 'closed'>;
  readonly count: number;
  readonly taken: number | null;
  readonly waitMs: number | null;
}

// Runs while the session's head is locked. `said(n) = max(given(n), said(n-1) + 1 ms)`, computed as in
// `append_messages`, is the timestamp. A message becomes visible at `seen(n)`, a time of the session's clock, which is
// also its `completed_at`. So a reader by `since` also gets messages that were said before `since`. The clock must not
// be ahead of the database's by more than 1 s.
export const IMPORT_MESSAGES = statement(
  'import_messages',
  (sessionId: string, messages: string, by: string) => [sessionId, messages, by],
  allRows<Verdict>,
)`
with given as materialized (
  select element.*
  from rows from (
    json_to_recordset($2::text::json) as (id uuid, said_ms bigint, role text, content text, metadata jsonb)
  ) with ordinality as element (id, said_ms, role, content, metadata, arrival)
), former as materialized (
  select
    given.arrival,
    message.erased_at is not null or (
      message.role = given.role
      and message.content = given.content
      and coalesce(message.metadata -> 'participant' = given.metadata -> 'participant', false)
    ) as is_same
  from given
  join messages message on message.session_id = $1 and message.id = given.id
), newest as materialized (
  select
    (extract(epoch from message."timestamp") * 1000)::bigint as said_ms,
    coalesce(message.metadata -> 'source' = '"import"', false) as is_imported
  from messages message
  where message.session_id = $1
  order by message."timestamp" desc
  limit 1
), numbered as (
  select given.*, row_number() over (order by given.arrival) as number
  from given
  where not exists (select from former where former.arrival = given.arrival)
), stamped as materialized (
  select
    numbered.*,
    numbered.number + greatest(
      newest.said_ms,
      max(numbered.said_ms - numbered.number) over (order by numbered.arrival)
    ) as at_ms
  from numbered
  left join newest on true
), clock as materialized (
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms
), bounds as materialized (
  select
    size.count,
    clock.now_ms,
    greatest(
      (extract(epoch from head.last_at) * 1000)::bigint,
      (select (extract(epoch from max(restores.floor_at)) * 1000)::bigint from restores),
      clock.now_ms - size.count
    ) as seen_ms,
    (select min(stamped.said_ms) from stamped) as first_said_ms,
    (select newest.said_ms from newest) as newest_said_ms,
    (select max(stamped.at_ms) from stamped) as last_said_ms
  from session_heads head
  cross join clock
  cross join (select count(*) from stamped) size
  where head.session_id = $1
), verdict as materialized (
  select
    case
      when exists (select from former where not former.is_same) then 'taken'
      when bounds.count = 0 then 'imported'
      when exists (select from newest where not newest.is_imported) then 'begun'
      when bounds.first_said_ms <= bounds.newest_said_ms and (
        (select max(former.arrival) from former) > (select min(stamped.arrival) from stamped)
        or (
          select count(*) from messages message
          where message.session_id = $1
            and message."timestamp" >= 'epoch'::timestamptz + bounds.first_said_ms * interval '1 ms'
        ) <= bounds.newest_said_ms - bounds.first_said_ms
      ) then 'out_of_order'
      when bounds.last_said_ms > bounds.now_ms + 1000 then 'in_future'
      when bounds.last_said_ms > bounds.now_ms then 'ahead'
      when bounds.seen_ms + bounds.count > bounds.now_ms + 1000 then 'ahead'
      else 'imported'
    end as outcome,
    bounds.*
  from bounds
), stored as (
  insert into messages
    (session_id, id, "timestamp", created_at, completed_at, role, status, kind, content, metadata)
  select
    $1, stamped.id, 'epoch'::timestamptz + stamped.at_ms * interval '1 ms', seen.at, seen.at,
    stamped.role, 'complete', 'text', stamped.content, stamped.metadata
  from verdict
  cross join stamped
  cross join lateral (
    select 'epoch'::timestamptz + (verdict.seen_ms + stamped.number) * interval '1 ms' as at
  ) seen
  where verdict.outcome = 'imported'
  order by stamped.number
), moved as (
  update session_heads head set
    last_at = 'epoch'::timestamptz + (verdict.seen_ms + verdict.count) * interval '1 ms',
    message_count = head.message_count + verdict.count
  from verdict
  where head.session_id = $1 and verdict.outcome = 'imported' and verdict.count > 0
  returning verdict.count
), audited as (${auditText('session.imported', {
  project: 'session.project_id',
  actor: '$3',
  target: 'session.id',
  detail: `jsonb_build_object('messages', moved.count)`,
  from: 'moved join sessions session on session.id = $1',
})}
)
select
  verdict.outcome,
  verdict.count::int,
  (select min(former.arrival) from former where not former.is_same)::int as taken,
  case when verdict.outcome = 'ahead' then
    greatest(verdict.seen_ms + verdict.count - 1000, verdict.last_said_ms) - verdict.now_ms
  end::int as "waitMs"
from verdict`;

/**
 * Stores all messages of a conversation that happened elsewhere, or none of them. They come in the order in which they were
 * said, with different ids. Messages that an earlier import stored stay as they are, and do not count.
 */
export async function importMessages(
  database: DatabaseAccess,
  sessionId: string,
  messages: readonly ImportedMessageRow[],
  by: string,
): Promise<ImportOutcome> {
  const rows = messages.map(({ saidAt, ...row }) => ({ ...row, said_ms: saidAt }));
  const given = JSON.stringify(rows);
  const found = await whileActive(database, sessionId, (transaction) =>
    IMPORT_MESSAGES(transaction, sessionId, given, by),
  );
  const [verdict] = found ?? [];
  if (!verdict) return { outcome: 'closed' };
  const { outcome, count, taken, waitMs } = verdict;
  if (outcome === 'imported') return { outcome, imported: count };
  if (outcome === 'taken') return { outcome, index: (taken ?? 1) - 1 };
  if (outcome === 'ahead') return { outcome, waitMs: waitMs ?? 0 };
  return { outcome };
}
