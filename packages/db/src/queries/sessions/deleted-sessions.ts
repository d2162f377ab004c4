import { onlyRow } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { IS_WHOLE_SESSION } from '../erasures/erasure-work.ts';
import { isFinished } from './session-end.ts';

const IS_DELETABLE = `(
  session.deleted_at is not null
  and session.id <> all ($2::uuid[])
  and ${isFinished('session')}
  and not exists (
    select from agents agent where agent.session_id = session.id and agent.status <> 'Stopped'
  )
)`;

/** The projects that have marked sessions, found with one look at the index each. The last id is null. */
const MARKED_PROJECTS = `
  (
    select session.project_id as id
    from sessions session
    where session.deleted_at is not null
    order by session.project_id
    limit 1
  )
  union all
  select (
    select session.project_id
    from sessions session
    where session.deleted_at is not null and session.project_id > project.id
    order by session.project_id
    limit 1
  )
  from project
  where project.id is not null`;

const MOST_ERASED = 1000;

/**
 * Returns up to `limit` marked sessions whose rows can be deleted, without those of `except`: the first of each project,
 * then the second of each, and so on. First in a project are sessions that are being erased, then the first marked. The
 * projects are in any order, but in each round sessions that are being erased come first. If more than `limit` projects have
 * marked sessions, those with a session that is being erased are chosen before others. The cost does not depend on how long
 * a project's queue is.
 */
export const listDeletedSessions = statement(
  'list_deleted_sessions',
  (limit: number, except: readonly string[] = []) => [limit, except],
  (rows: { readonly id: string }[]) => rows.map(({ id }) => id),
)`
with recursive project as (${MARKED_PROJECTS}
), erased as materialized (
  select session.project_id, session.id, session.deleted_at
  from erasures erasure
  join sessions session on session.id = erasure.session_id
  where erasure.status <> 'done' and ${IS_WHOLE_SESSION} and ${IS_DELETABLE}
  order by erasure.id
  limit ${MOST_ERASED}
), chosen as materialized (
  select id from project where id is not null
  order by id in (select project_id from erased) desc, random()
  limit $1
), found as (
  select session.project_id, session.id, session.deleted_at, false as is_erased
  from chosen
  cross join lateral (
    select session.project_id, session.id, session.deleted_at
    from sessions session
    where session.project_id = chosen.id and ${IS_DELETABLE}
    order by session.deleted_at, session.id
    limit (select ($1 + count(*) - 1) / count(*) from chosen)
  ) session
  union all
  select erased.project_id, erased.id, erased.deleted_at, true
  from erased
  join chosen on chosen.id = erased.project_id
), queued as (
  select id, bool_or(is_erased) as is_erased, row_number() over (
    partition by project_id order by bool_or(is_erased) desc, deleted_at, id
  ) as turn
  from found
  group by project_id, id, deleted_at
)
select id from queued order by turn, is_erased desc, random() limit $1`;

/**
 * Returns how many seconds ago the first session that still has rows was marked, or the first project in which an ACTIVE
 * session is not marked yet, whichever is longer ago; 0 if there is neither.
 */
export const readDeletionAge = statement(
  'read_deletion_age',
  () => [],
  (rows: { readonly seconds: number }[]) => onlyRow(rows).seconds,
)`
with recursive project as (${MARKED_PROJECTS}
)
select coalesce(extract(epoch from now() - min(deletion.deleted_at)), 0)::float8 as seconds
from (
  select oldest.deleted_at
  from project
  cross join lateral (
    select session.deleted_at
    from sessions session
    where session.project_id = project.id and session.deleted_at is not null
    order by session.deleted_at
    limit 1
  ) oldest
  union all
  select deleted.deleted_at
  from projects deleted
  cross join lateral (
    select from sessions session
    where session.project_id = deleted.id and session.status = 'ACTIVE' and session.deleted_at is null
    limit 1
  ) unmarked
  where deleted.deleted_at is not null
) deletion`;
