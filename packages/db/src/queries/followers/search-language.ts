import { statement } from '../../statement/statement.ts';
import { SEARCH_FOLLOWER_ID } from './follower-claims.ts';

const SESSIONS_AT_ONCE = 1000;

/**
 * When the search language of a project has changed, sets about 1,000 of its sessions back to their beginning, the newest
 * first. Returns how many, or undefined when no project is left. Claims of these sessions end, because their process may have
 * read the former language.
 */
export const reindexSessions = statement(
  'reindex_sessions',
  () => [],
  ([row]: { readonly sessions: number }[]) => row?.sessions,
)`
with project as materialized (
  select id, reindex_before from projects where reindex_before is not null limit 1 for no key update skip locked
), session as materialized (
  select session.id, session.created_at
  from project
  cross join lateral (
    select id, created_at
    from sessions
    where project_id = project.id and created_at < project.reindex_before
    order by created_at desc
    fetch first ${SESSIONS_AT_ONCE} rows with ties
  ) session
), followed as materialized (
  select stored.session_id
  from (select id from session order by id) session
  cross join lateral (
    select session_id
    from follower_positions
    where follower_id = '${SEARCH_FOLLOWER_ID}' and session_id = session.id
    limit 1
    for no key update
  ) stored
), set_back as (
  update follower_positions stored
  set position = follower.starts_at, claim = stored.claim + 1, next_attempt_at = least(stored.wanted, now())
  from followed, followers follower
  where follower.id = '${SEARCH_FOLLOWER_ID}'
    and stored.follower_id = follower.id
    and stored.session_id = followed.session_id
  returning 1
), noted as (
  update projects stored
  set reindex_before = case when (select count(*) from session) >= ${SESSIONS_AT_ONCE} then (select min(created_at) from session) end
  from project
  where stored.id = project.id
)
select (select count(*)::int from set_back) as sessions from project`;
