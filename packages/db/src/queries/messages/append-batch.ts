import { agentIdentityText } from '../../columns/agent-role.ts';
import type { NewMessageRow } from '../../schema/messages.ts';
import { onlyRow } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { IS_SAME_SENDER, type Origin, sqlSenderOf } from './same-id.ts';

export interface Holder extends Origin {
  readonly sessionId: string;
  readonly id: string;
}

export interface BatchCounts {
  readonly sessions: number;
  readonly stored: number;
  readonly locked: readonly string[];
  readonly intruded: number;
  readonly refused: readonly Holder[] | null;
  readonly gapIds: readonly string[];
}

/** Longer than it takes to store the last words of a program that has ended, even if its participant stays in the room. */
const LAST_WORDS = `interval '1 min'`;

/**
 * A recorder's interval begins only when a packet proves that the recorder receives. This time is longer than a recorder
 * receives in a room before that packet, plus 1 s, by which the clocks of two recorders may differ.
 */
const BEFORE_PROOF = `interval '3 s'`;

const RECEIVED_AT = `'epoch'::timestamptz + given.received_ms * interval '1 ms'`;

/** How a message differs in two recorders that received it: one of them may not know its sender, or the sender's name. */
const SENDER_FIELDS = `'{participant,candidates}'::text[]`;

/**
 * Whether the new row completes the former one, or has a longer text. Recorders may judge the role of a message with
 * `transcribers` differently.
 */
const IS_PROGRESS = `(
    former.status = 'pending'
    and (
      former.role = excluded.role
      or (former.metadata ? 'transcribers' and excluded.metadata ? 'transcribers')
    )
    and former.kind = excluded.kind
    and (excluded.status is distinct from 'pending' or length(excluded.content) > length(former.content))
  )`;

function setColumn(column: string, value = column): string {
  return `${column} = case when ${IS_SAME_SENDER} and ${IS_PROGRESS} then excluded.${value} else former.${column} end`;
}

/**
 * Returns the text of the statement that stores a batch, in one transaction. `$1` is a JSON array of `NewMessageRow`s,
 * as text, in the order of their arrival, with at most one row for each id. It is text because the client would encode
 * a string a second time for a `json` parameter.
 *
 * A head (`session_heads`) holds a session's last timestamp and its number of messages. The lock on the heads orders
 * the writers of a session; it is taken in the order of ids, against deadlocks. The n-th message of a session in the
 * batch gets the timestamp `at(n) = max(received(n), at(n-1) + 1 ms)`, where at(0) is that of the head. So a reader who
 * has read up to a timestamp has read everything before it. After a restore to an earlier time readers hold timestamps
 * that the head has lost, so at(0) is not earlier than the floor of the last restore. A writer's clock may be fast, so
 * times of receipt are capped: with them, the last message of the session is at most 1 s ahead of the database's clock.
 *
 * A message with an interval has no raw id: several recorders may have received it, and only the leader stores it. If
 * other recorders have ended that interval because the leader was dead, then a recorder whose interval contains the
 * time of receipt stores the message. The share lock makes this statement and the one that ends the interval run one
 * after the other. That recorder also stores what it received shortly before its interval. So a message that was received
 * up to `BEFORE_PROOF` before that interval is skipped, too, if the history has the same words of that time. Neither
 * interval contains the receipt, so if the sender did say these words twice, a gap is there.
 *
 * A message of a Stopped agent is dropped if the agent joined after its end, or sent the message more than `LAST_WORDS`
 * after its end. If this applies to only some of the possible senders, or if anybody may have sent the message, it gets
 * the role `system`, which names no author.
 */
function appendText(lock: 'for no key update' | 'for no key update skip locked'): string {
  return `
with given as materialized (
  select element.*
  from rows from (
    json_to_recordset($1::text::json) as (
      session_id uuid,
      id uuid,
      received_ms bigint,
      role text,
      status text,
      kind text,
      content text,
      metadata jsonb,
      interval_id uuid,
      senders json
    )
  ) with ordinality as element (
    session_id, id, received_ms, role, status, kind, content, metadata, interval_id, senders, arrival
  )
), stopped_agent as materialized (
  select agent.session_id, ${agentIdentityText('agent')} as identity, agent.stopped_at
  from agents agent
  where agent.session_id = any (
      array(select distinct session_id from given where senders is not null)
    )
    and agent.status = 'Stopped'
    -- Later no token of the agent is valid. What is stored long after its receipt may be of a bar that has ended since.
    and (
      agent.barred_until is not null
      or 'epoch'::timestamptz + (select min(received_ms) from given where senders is not null) * interval '1 ms'
        < now() - interval '3 min'
    )
), intrusion as materialized (
  select
    given.arrival,
    bool_and(sender.identity is not null)
      and count(*) = json_array_length(any_value(given.senders)) as is_certain
  from given
  cross join json_to_recordset(given.senders) as sender (identity text, since bigint)
  join stopped_agent
    on stopped_agent.session_id = given.session_id
    and (sender.identity is null or sender.identity = stopped_agent.identity)
    and (
      stopped_agent.stopped_at < 'epoch'::timestamptz + sender.since * interval '1 ms'
      or stopped_agent.stopped_at + ${LAST_WORDS}
        < ${RECEIVED_AT}
    )
  group by given.arrival
), own_interval as materialized (
  select own.session_id, own.id, own.recorder_id, own.to_at, own.end_reason
  from recording_intervals own
  where (own.session_id, own.id) in (
    select given.session_id, given.interval_id from given where given.interval_id is not null
  )
  order by own.session_id, own.id
  for share
), accepted as materialized (
  select
    given.session_id,
    given.id,
    given.received_ms,
    case when intrusion.is_certain is null then given.role else 'system' end as role,
    given.status,
    given.kind,
    given.content,
    given.metadata,
    given.arrival
  from given
  left join intrusion on intrusion.arrival = given.arrival
  where intrusion.is_certain is not true
    and (given.interval_id is null or not exists (
      select from own_interval
      join recording_intervals other
        on other.session_id = own_interval.session_id
        and other.recorder_id <> own_interval.recorder_id
        and (
          -- The other recorder's interval contains the time of receipt.
          tstzrange(other.from_at, other.to_at, '[]') @> ${RECEIVED_AT}
          or (
            ${RECEIVED_AT} between own_interval.to_at and other.from_at
            and ${RECEIVED_AT} > other.from_at - ${BEFORE_PROOF}
            and exists (
              select from messages twin
              where twin.session_id = given.session_id
                -- The clocks of two recorders differ by up to 1 s, and a row may be later than its receipt.
                and twin."timestamp" between ${RECEIVED_AT} - interval '1 s' and other.from_at + interval '1 s'
                and twin.kind = given.kind
                and twin.content = given.content
                and twin.metadata - ${SENDER_FIELDS} = given.metadata - ${SENDER_FIELDS}
                and coalesce(
                  twin.metadata #>> '{participant,identity}' = given.metadata #>> '{participant,identity}',
                  true
                )
            )
          )
        )
      where own_interval.session_id = given.session_id
        and own_interval.id = given.interval_id
        and own_interval.end_reason = 'recorder_died'
    ))
), head as materialized (
  select
    locked.session_id,
    (extract(epoch from locked.last_at) * 1000)::bigint as last_ms
  from session_heads locked
  where locked.session_id = any (array(select distinct session_id from accepted))
  order by locked.session_id
  ${lock}
), numbered as (
  select
    accepted.*,
    row_number() over (partition by session_id order by arrival) as number,
    count(*) over (partition by session_id) as size
  from accepted
), bounds as materialized (
  select
    floor(extract(epoch from now()) * 1000)::bigint + 1000 as latest_ms,
    (select (extract(epoch from max(restores.floor_at)) * 1000)::bigint from restores) as floor_ms
), stamped as (
  -- at(n), from above, without recursion: at(n) - n is the greater of received(n) - n and at(n-1) - (n-1), and at(0) is
  -- the head's last time or the floor. So at(n) - n is a running maximum, which a window function computes.
  select
    numbered.*,
    numbered.number + greatest(
      head.last_ms,
      bounds.floor_ms,
      max(least(numbered.received_ms - numbered.number, bounds.latest_ms - numbered.size))
        over (partition by numbered.session_id order by numbered.arrival)
    ) as at_ms
  from numbered
  cross join bounds
  -- A deleted session has no head: its messages are dropped.
  join head on head.session_id = numbered.session_id
), stored as (
  insert into messages as former (session_id, id, "timestamp", role, status, kind, content, metadata)
  select
    session_id, id, 'epoch'::timestamptz + at_ms * interval '1 ms', role, status, kind, content, metadata
  from stamped
  order by session_id, at_ms
  -- A stored message changes only while it is pending: its sender adds to it, and completes it. The row of a message that
  -- is not stored is returned as it is, so that the caller learns of it; nobody else reads such a message.
  on conflict (session_id, id) do update set
    ${setColumn('completed_at', '"timestamp"')},
    ${setColumn('status')},
    ${setColumn('role')},
    ${setColumn('content')},
    ${setColumn('metadata')}
  -- What was erased stays erased. Its sender is not known any more, so it is not returned as another sender's message either.
  where former.erased_at is null and (
    not ${IS_SAME_SENDER}
    or ${IS_PROGRESS}
    or (excluded.status = 'complete' and former.content <> excluded.content)
  )
  returning
    new.session_id,
    new.id,
    new.kind,
    old.id is null as is_inserted,
    coalesce(new.completed_at, new."timestamp") as at,
    -- The holder of the id, when the message was refused: each change of a row sets completed_at again.
    case
      when old.id is not null and new.completed_at is not distinct from old.completed_at
      then json_build_object(
        'sessionId', old.session_id,
        'id', old.id,
        'sender', ${sqlSenderOf('old')},
        'kind', old.kind,
        'content', old.content
      )
    end as holder
), progress as (
  select
    session_id,
    max(at) as last_at,
    count(*) filter (where is_inserted) as inserted
  from stored
  where holder is null
  group by session_id
), moved as (
  update session_heads head set
    last_at = progress.last_at,
    message_count = head.message_count + progress.inserted
  from progress
  where head.session_id = progress.session_id
  returning 1
)
select
  (select count(*) from head)::int as sessions,
  (select count(*) from stored where holder is null)::int as stored,
  array(
    select waiting.session_id
    from session_heads waiting
    where waiting.session_id = any (
      array(select session_id from accepted except select session_id from head)
    )
  ) as locked,
  (select json_agg(holder) from stored where holder is not null) as refused,
  (select count(*) from intrusion where is_certain)::int as intruded,
  array(select id from stored where kind = 'recording_gap' and is_inserted) as "gapIds"`;
}

export const APPEND_MESSAGES = statement(
  'append_messages',
  (messages: string) => [messages],
  onlyRow<BatchCounts>,
)`${appendText('for no key update')}`;

export const APPEND_UNLOCKED_MESSAGES = statement(
  'append_unlocked_messages',
  (messages: string) => [messages],
  onlyRow<BatchCounts>,
)`${appendText('for no key update skip locked')}`;

/**
 * Stores messages with different ids in one transaction. When a session's head is locked, waits for it with `waitForLocks`, and
 * otherwise leaves the session out.
 */
export async function appendBatch(
  database: DatabaseAccess,
  batch: readonly NewMessageRow[],
  waitForLocks: boolean,
): Promise<BatchCounts> {
  const append = waitForLocks ? APPEND_MESSAGES : APPEND_UNLOCKED_MESSAGES;
  return await append(database, JSON.stringify(batch.map(rowOf)));
}

function rowOf(message: NewMessageRow) {
  return {
    session_id: message.sessionId,
    id: message.id,
    received_ms: Math.floor(message.receivedAt),
    role: message.role,
    status: message.status,
    kind: message.kind,
    content: message.content,
    metadata: message.metadata,
    interval_id: message.intervalId,
    senders: message.senders,
  };
}
