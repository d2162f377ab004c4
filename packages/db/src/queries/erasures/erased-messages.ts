import { senderOf } from '@session/contract/room';
import { sqlIsoOf } from '../../columns/iso-time.ts';
import { statement } from '../../statement/statement.ts';
import { SENDER_CHARACTERS } from '../followers/sequence-folds.ts';
import { nextTime } from '../sessions/session-events.ts';

export const WALKED_FOR_ERASURE = 5000;

/**
 * How far an erasure may move a session's clock ahead, in milliseconds. Each erased message takes one, so a transaction
 * erases no more than this. `after-restore` relies on no time being more than 1 s ahead of the clock.
 */
const AHEAD_MS = 400;

const END_USER_SUFFIX = /^user-[0-9a-f-]{36}$/;

const IDENTITY = `message.metadata #>> '{participant,identity}'`;

const CANDIDATES = `jsonb_array_elements_text(
      case when jsonb_typeof(message.metadata -> 'candidates') = 'array' then message.metadata -> 'candidates' else '[]' end
    )`;

function isOfPerson(identity: string): string {
  return `(${identity} = $4 or coalesce(starts_with(${identity}, $5), false))`;
}

interface WalkedMessages {
  readonly ids: readonly string[];
  readonly lastAt: string | null;
  readonly count: number;
}

/**
 * Returns the ids of the messages that a participant sent, or may have sent, until `until` (ISO 8601), including joins
 * and leaves. Also returns the ids of the gaps that name the participant, even if they were reported later. Looks at
 * the next `WALKED_FOR_ERASURE` messages of the session after `after`. All stays of a user are one participant. `next`:
 * the time after which to continue; undefined at the end.
 */
export const listMessagesOfPerson = statement(
  'list_messages_of_person',
  ({
    sessionId,
    identity,
    after,
    until,
  }: {
    sessionId: string;
    identity: string;
    after: string;
    until: string;
  }) => {
    const sender = senderOf(identity);
    const prefix = END_USER_SUFFIX.test(sender) ? `${sender}-` : null;
    return [sessionId, after, until, sender, prefix];
  },
  ([walked]: WalkedMessages[]) => {
    if (!walked || walked.lastAt === null) return { ids: [], next: undefined };
    const { ids, lastAt, count } = walked;
    return { ids, next: count === WALKED_FOR_ERASURE ? lastAt : undefined };
  },
)`
with walked as materialized (
  select message.id, message."timestamp" as at, message.erased_at is null and (
    message."timestamp" <= $3::timestamptz and (
      coalesce(${isOfPerson(IDENTITY)}, false)
      or exists (select from ${CANDIDATES} as candidate (identity) where ${isOfPerson('candidate.identity')})
    )
    or message.kind = 'recording_gap' and message.metadata ->> 'identity' = left($4, ${SENDER_CHARACTERS})
  ) as is_match
  from messages message
  where message.session_id = $1
    and message."timestamp" > $2::timestamptz
  order by message."timestamp"
  limit ${WALKED_FOR_ERASURE}
)
select
  array(select walked.id from walked where walked.is_match) as ids,
  max(walked.at) as "lastAt",
  count(*)::int as count
from walked`;

interface ErasedCounts {
  readonly erased: number;
  readonly chosen: number;
  readonly room: number | null;
}

/**
 * Erases up to 400 of the messages with these ids, the oldest first, for an erasure. Returns how many. `isLeft`: more may be
 * left, which can be erased once the session's clock is no longer ahead. A message that was erased before stays as it is.
 *
 * A message keeps its id, its time, its kind, its role, and its sequence number, without which it would count as missing. A raw
 * id that is null also stays, because standbys search for it. Everything else is removed. The tombstone is a new version at a
 * tick of the session's clock, and the lock of the head orders it among the writers.
 */
export const eraseMessages = statement(
  'erase_messages',
  ({
    sessionId,
    ids,
    erasureId,
  }: {
    sessionId: string;
    ids: readonly string[];
    erasureId: string;
  }) => [sessionId, ids, erasureId],
  ([counts]: ErasedCounts[]) => {
    if (!counts || counts.room === null) return { erased: 0, isLeft: false };
    return { erased: counts.erased, isLeft: counts.chosen === counts.room };
  },
)`
with head as materialized (
  select locked.session_id, ${nextTime('locked')} as next_at
  from session_heads locked
  where locked.session_id = $1
  for no key update of locked
), room as materialized (
  select greatest(0, ${AHEAD_MS} - greatest(0, ceil(extract(epoch from head.next_at - clock_timestamp()) * 1000)::bigint)) as count
  from head
), chosen as materialized (
  select message.id, row_number() over (order by message."timestamp") as number
  from head
  join messages message on message.session_id = head.session_id and message.id = any ($2::uuid[])
  where message.erased_at is null
  order by message."timestamp"
  limit (select count from room)
), erased as (
  update messages message set
    content = '',
    status = 'complete',
    erased_at = now(),
    completed_at = head.next_at + (chosen.number - 1) * interval '1 ms',
    metadata = jsonb_build_object(
      'kind', message.kind,
      'erased', jsonb_build_object(
        'at', ${sqlIsoOf('now()')},
        'erasureId', $3::uuid
      )
    ) || case when message.metadata #> '{rawId}' = 'null' then '{"rawId": null}' else '{}' end::jsonb
    || case when message.metadata ? 'seq' then jsonb_build_object('seq', message.metadata -> 'seq') else '{}' end
  from chosen
  cross join head
  where message.session_id = $1
    and message.id = chosen.id
    and message.erased_at is null
  returning message.id, new.completed_at as at, coalesce(old.completed_at, old."timestamp") as former_at
), moved as (
  update session_heads moving set last_at = newest.at
  from (select max(erased.at) as at from erased) newest
  where moving.session_id = $1 and newest.at is not null
), unindexed as (
  delete from message_search indexed using erased
  where indexed.session_id = $1 and indexed.message_id = erased.id
  returning 1
), undelivered as (
  -- The answer of a receiver may repeat what it got. The positions at which a text grew are not known any more.
  delete from webhook_deliveries delivery
  using sessions session, followers follower
  where session.id = $1
    and follower.project_id = session.project_id
    and delivery.webhook_id = follower.id
    and delivery.session_id = $1
    and (delivery.seen_at = any (array(select erased.former_at from erased)) or delivery.type = 'message.pending')
    and exists (select from erased)
  returning 1
), counted as (
  update erasures erasure set counts = erasure.counts || jsonb_build_object(
    'searchRows', coalesce((erasure.counts ->> 'searchRows')::int, 0) + (select count(*) from unindexed),
    'deliveries', coalesce((erasure.counts ->> 'deliveries')::int, 0) + (select count(*) from undelivered)
  )
  where erasure.id = $3::uuid and exists (select from erased)
)
-- A message that is deleted meanwhile is chosen, and not erased.
select
  (select count(*) from erased)::int as erased,
  (select count(*) from chosen)::int as chosen,
  (select count from room)::int as room`;

const LOG_ROWS = 200;

/**
 * Returns the parts of a statement that erase what agents have printed until now, in the sessions of the query
 * `sessions`, up to `limit` rows. The statement finds each row by its key or its `ctid`, whatever the plan expects. The
 * newest lines stay as empty ones, because the number of the next line follows from them.
 */
export function erasedLogsText(sessions: string, limit: number | 'all' = 'all'): string {
  return `chunk as materialized (
  select log.place, log.line_count,
    log.first_line = (select max(newest.first_line) from agent_logs newest where newest.agent_id = log.agent_id) as is_newest
  from (${sessions}) erased_in
  cross join lateral (
    select agent.id from agents agent where agent.session_id = erased_in.session_id offset 0
  ) agent
  cross join lateral (
    select own.ctid as place, own.agent_id, own.first_line, own.line_count, own.lines
    from agent_logs own
    where own.agent_id = agent.id
    offset 0
  ) log
  where log.lines <> array_fill(''::text, array[log.line_count])
  limit ${limit}
), emptied as (
  update agent_logs log set lines = array_fill(''::text, array[log.line_count])
  where log.ctid = any (array(select chunk.place from chunk where chunk.is_newest))
), unprinted as (
  delete from agent_logs log
  where log.ctid = any (array(select chunk.place from chunk where not chunk.is_newest))
)`;
}

export const AGENT_LOGS_COUNT = `
    'agentLogs', coalesce((erasure.counts ->> 'agentLogs')::int, 0) + (select coalesce(sum(chunk.line_count), 0) from chunk)`;

/**
 * Erases up to `LOG_ROWS` rows of what agents of the session have printed, for an erasure. Returns whether more may be left.
 */
export const eraseAgentLogs = statement(
  'erase_agent_logs',
  ({ sessionId, erasureId }: { sessionId: string; erasureId: string }) => [sessionId, erasureId],
  ([row]: { readonly isLeft: boolean }[]) => row?.isLeft === true,
)`
with ${erasedLogsText('select $1::uuid as session_id', LOG_ROWS)}
update erasures erasure set counts = erasure.counts || jsonb_build_object(${AGENT_LOGS_COUNT}
)
where erasure.id = $2 and exists (select from chunk)
returning (select count(*) from chunk) = ${LOG_ROWS} as "isLeft"`;
