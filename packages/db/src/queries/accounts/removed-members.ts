import { allRows, hasRows, nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

export interface PresentUser {
  readonly sessionId: string;
  readonly userId: string;
}

/**
 * A person who may still have a token for the room of a session: the removed member, or an end user whom that member let in.
 */
export interface BarredMember extends PresentUser {
  readonly projectId: string;
  readonly memberId: string;
}

export const hasRemovedMembers = statement('has_removed_members', () => [], hasRows)`
select 1 from removed_members limit 1`;

export const listRoomsOfRemovedMembers = statement(
  'list_rooms_of_removed_members',
  (ids: readonly string[]) => [ids],
  (rows: { id: string }[]) => rows.map(({ id }) => id),
)`
select session.id from sessions session
where session.id = any ($1::uuid[])
  and session.status = 'ACTIVE'
  and session.deleted_at is null
  and exists (
    select from removed_members removed where removed.project_id = session.project_id
  )`;

export const listBarredMembers = statement(
  'list_barred_members',
  (present: readonly PresentUser[]) => [
    present.map(({ sessionId }) => sessionId),
    present.map(({ userId }) => userId),
  ],
  allRows<BarredMember>,
)`
select removed.project_id as "projectId", removed.user_id as "memberId",
  present.user_id as "userId", session.id as "sessionId"
from unnest($1::uuid[], $2::uuid[]) as present (session_id, user_id)
join sessions session on session.id = present.session_id
cross join lateral (
  select present.user_id as id
  union all
  select participant.issued_by from session_end_users participant
  where participant.session_id = present.session_id and participant.user_id = present.user_id
) member
join removed_members removed
  on removed.project_id = session.project_id and removed.user_id = member.id
where session.status = 'ACTIVE'
  and session.deleted_at is null`;

/**
 * Restarts the time for which a former member is barred, because the media server renewed their token while they were in a
 * room.
 */
export const extendBar = statement(
  'extend_bar',
  ({ projectId, memberId }: Pick<BarredMember, 'projectId' | 'memberId'>) => [projectId, memberId],
  nothing,
)`
update removed_members set barred_until = default where project_id = $1 and user_id = $2`;

/**
 * Deletes the bars that have ended, except those of projects with a session in `unseen`, because a former member may be in its
 * room, with a token that the media server renewed.
 */
export const forgetRemovedMembers = statement(
  'forget_removed_members',
  (unseen: readonly string[]) => [unseen],
  nothing,
)`
delete from removed_members
where barred_until <= now()
  and project_id not in (
    select session.project_id from sessions session where session.id = any ($1::uuid[])
  )`;
