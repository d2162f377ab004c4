import { allRows, nothing, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { visibleText } from '../messages/latest-messages.ts';
import {
  isSaid,
  projectTerm,
  searchConfiguration,
  wordsOfText,
} from '../messages/message-search.ts';
import { withinBytes } from '../messages/page-bytes.ts';
import { IS_OURS, SEARCH_FOLLOWER_ID } from './follower-claims.ts';
import {
  CLAIMED,
  claimedParameters,
  claimText,
  movedSessions,
  ownSessions,
  type SessionClaim,
} from './session-claims.ts';

/**
 * Claims up to 100 sessions in which the search index is behind, for `leaseMs`, during which other processes leave them
 * alone. Sessions that became due last come first, so that a new message does not wait for old ones.
 */
export const claimSearchSessions = statement(
  'claim_search_sessions',
  (leaseMs: number) => [leaseMs],
  allRows<SessionClaim>,
)`${claimText(SEARCH_FOLLOWER_ID, 'desc')}`;

const VERSIONS = 50;
const FILL_BYTES = 32 * 1024;

/** How many of the newest versions are filled before a long backlog, so that a new message is found at once. */
const NEWEST = 5;

function wordsText(row: string): string {
  return `
    case when ${row}.erased_at is null and ${isSaid(row)}
      then ${wordsOfText(`${row}.content`, 'head.configuration')} || array_to_tsvector(array[${projectTerm('head.project_id')}])
    end as words`;
}

function newestText(column: string, condition: string): string {
  return `
    (
      select stored.*
      from messages stored
      where stored.session_id = head.session_id and stored.${column} > head.position and ${condition}
      order by stored.${column} desc
      limit ${NEWEST}
    )`;
}

const PAGE_OF_VERSIONS = withinBytes(
  visibleText('head.position', String(VERSIONS), 'true', 'head.session_id'),
  'seen_at',
  FILL_BYTES,
);

/**
 * Fills the search index for the claimed sessions from their positions on, up to a limit for each. Then moves the
 * positions, and gives the sessions back. Writes nothing for a lost claim. Returns how many messages were written, and
 * how many positions moved.
 */
export const fillSearchIndex = statement(
  'fill_search_index',
  (claims: readonly SessionClaim[]) => [...claimedParameters(claims)],
  ([row]: { readonly filled: number; readonly moved: number }[]) => row ?? { filled: 0, moved: 0 },
)`
with ${CLAIMED}, head as materialized (
  select claimed.session_id, claimed.position, session.project_id, head.last_at,
    ${searchConfiguration('project')}::regconfig as configuration
  from claimed
  -- Each by its key, whatever the plan expects.
  cross join lateral (select project_id from sessions where id = claimed.session_id limit 1) session
  cross join lateral (select last_at from session_heads where session_id = claimed.session_id limit 1) head
  cross join lateral (select search_language from projects where id = session.project_id limit 1) project
), version as materialized (
  select head.session_id, head.project_id, seen.id, seen."timestamp", seen.seen_at, seen.is_full, ${wordsText('seen')}
  from head
  cross join lateral (${PAGE_OF_VERSIONS}) seen
), reached as materialized (
  select head.session_id, head.project_id, head.configuration, page.is_cut,
    -- One snapshot: between the last version and the head is nothing.
    case when page.is_cut then page.last_at else head.last_at end as position
  from head
  cross join lateral (
    select max(seen_at) as last_at, coalesce(count(*) = ${VERSIONS} or bool_or(is_full), false) as is_cut
    from version
    where version.session_id = head.session_id
  ) page
), found as materialized (
  select session_id, project_id, id, "timestamp", words from version
  union all
  select head.session_id, head.project_id, newest.id, newest."timestamp", ${wordsText('newest')}
  from reached head
  cross join lateral (
    ${newestText('"timestamp"', 'stored.completed_at is null')}
    union all
    ${newestText('completed_at', 'stored.completed_at is not null')}
  ) newest
  where head.is_cut
), ${ownSessions(SEARCH_FOLLOWER_ID, 'found')}, filled as (
  insert into message_search as stored (session_id, message_id, project_id, seen_at, words)
  select found.session_id, found.id, found.project_id, found."timestamp", found.words
  from found
  join own on own.session_id = found.session_id
  where found.words is not null
  order by found.session_id, found.id
  on conflict (session_id, message_id) do update set words = excluded.words
  where stored.words <> excluded.words
  returning 1
), gone as materialized (
  select found.session_id, found.id
  from found
  join own on own.session_id = found.session_id
  where found.words is null
), removed as (
  -- By its key, even while PostgreSQL takes the table for empty, as at the first fill: a join would read it for each version.
  delete from message_search where exists (select from gone) and ctid = any (array(
    select entry.ctid
    from gone
    cross join lateral (
      select ctid from message_search where session_id = gone.session_id and message_id = gone.id limit 1
    ) entry
  ))
), ${movedSessions(SEARCH_FOLLOWER_ID)}
select (select count(*)::int from filled) as filled, (select count(*)::int from moved) as moved`;

/**
 * Puts a session that cannot be filled back into the queue, for another attempt after 5 s at first, and later after up to an
 * hour.
 */
export const postponeSearchSession = statement(
  'postpone_search_session',
  ({ sessionId, claim }: SessionClaim, failure: string) => [
    SEARCH_FOLLOWER_ID,
    sessionId,
    claim,
    failure,
  ],
  nothing,
)`
update follower_positions
set attempts = attempts + 1, failing_since = coalesce(failing_since, now()), failure = $4,
  next_attempt_at = now() + least(5 * 2 ^ least(attempts, 20), 3600) * interval '1 s'
${IS_OURS}`;

export const FORGET_SEARCHED_SESSION = statement(
  'forget_searched_session',
  (sessionId: string) => [sessionId],
  nothing,
)`
delete from follower_positions where follower_id = '${SEARCH_FOLLOWER_ID}' and session_id = $1`;

export const DELETE_SEARCH_ROWS = statement(
  'delete_search_rows',
  (sessionId: string, limit: number) => [sessionId, limit],
  rowCount,
)`
delete from message_search where ctid = any (array(
  select ctid from message_search where session_id = $1 order by message_id limit $2
))`;

export async function deleteSearchRows(
  database: DatabaseAccess,
  sessionId: string,
  limit: number,
): Promise<number> {
  // A process that is just filling the session locks its position. Once the position is deleted, nobody adds rows.
  await FORGET_SEARCHED_SESSION(database, sessionId);
  return await DELETE_SEARCH_ROWS(database, sessionId, limit);
}
