import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { SCANNED } from './tool-calls.ts';

/** `rawId`: the id of the room event. `hasIdConflict`: another sender's message has that id. */
export interface SaidMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly kind: string;
  readonly content: string;
  readonly identity: string | null;
  readonly name: string | null;
  readonly rawId: string | null;
  readonly hasIdConflict: boolean;
}

export interface RememberedMessage extends SaidMessage {
  readonly role: 'user' | 'assistant';
  readonly isCut: boolean;
}

export interface LastWords {
  readonly sessionId: string;
  readonly role: 'user' | 'assistant';
  readonly kind: string;
  readonly content: string;
  readonly timestamp: string;
}

/** A page has up to a hundred sessions, so a list of sessions reads fewer messages of each. */
const LISTED = 200;

const COLUMNS = `
  message.id,
  message."timestamp",
  message.kind,
  message.metadata #>> '{participant,identity}' as identity,
  message.metadata #>> '{participant,name}' as name,
  message.metadata ->> 'rawId' as "rawId",
  coalesce(message.metadata -> 'idConflict' = 'true', false) as "hasIdConflict"`;

/**
 * Returns the newest `limit` messages that participants wrote or spoke, pending ones included, the newest first, cut to
 * `characters`. Leaves out identities that consist of one of `exceptFrom` and 8 more characters. Searches the newest
 * `SCANNED` messages.
 */
export const listNewestWords = statement(
  'list_newest_words',
  (of: { sessionId: string; limit: number; characters: number; exceptFrom: readonly string[] }) => [
    of.sessionId,
    of.limit,
    of.characters,
    of.exceptFrom,
  ],
  allRows<RememberedMessage>,
)`
select ${COLUMNS},
  message.role,
  left(message.content, $3::int) as content,
  coalesce(message.status = 'pending', false)
    or coalesce(message.metadata -> 'interrupted' = 'true', false)
    or coalesce(message.metadata -> 'truncated' = 'true', false) as "isCut"
from (
  select * from messages where session_id = $1 order by "timestamp" desc limit ${SCANNED}
) message
where message.kind in ('text', 'transcript')
  and message.role in ('user', 'assistant')
  and message.erased_at is null
  and not coalesce(left(message.metadata #>> '{participant,identity}', -8) = any ($4::text[]), false)
order by message."timestamp" desc
limit $2`;

/**
 * Returns the newest `limit` complete texts of persons after `after` (ISO 8601), the oldest first, from the newest `SCANNED`
 * messages. With `spokenBefore`, also what persons spoke before that time.
 */
export const listTextsAfter = statement(
  'list_texts_after',
  (of: { sessionId: string; after: string; spokenBefore?: string | undefined; limit: number }) => [
    of.sessionId,
    of.after,
    of.limit,
    of.spokenBefore ?? null,
  ],
  (rows: SaidMessage[]) => rows.toReversed(),
)`
select ${COLUMNS}, message.content
from (
  select * from messages
  where session_id = $1 and "timestamp" > $2::timestamptz
  order by "timestamp" desc
  limit ${SCANNED}
) message
where (
    message.kind = 'text'
    or (message.kind = 'transcript' and message."timestamp" < $4::timestamptz)
  )
  and message.role = 'user'
  and message.status is distinct from 'pending'
  and message.erased_at is null
order by message."timestamp" desc
limit $3`;

/** Returns the newest words of each session, from its newest `LISTED` messages, cut to `characters` code points. */
export const listLastWords = statement(
  'list_last_words',
  (sessionIds: readonly string[], characters: number) => [sessionIds, characters],
  allRows<LastWords>,
)`
select
  session.id as "sessionId",
  words.role,
  words.kind,
  left(words.content, $2::int) as content,
  words."timestamp"
from unnest($1::uuid[]) session (id)
cross join lateral (
  select newest.*
  from (
    select stored.role, stored.kind, stored.content, stored."timestamp", stored.erased_at
    from messages stored
    where stored.session_id = session.id
    order by stored."timestamp" desc
    limit ${LISTED}
  ) newest
  where newest.kind in ('text', 'transcript')
    and newest.role in ('user', 'assistant')
    and newest.erased_at is null
  order by newest."timestamp" desc
  limit 1
) words`;
