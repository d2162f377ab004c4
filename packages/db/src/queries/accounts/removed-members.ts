import { NIL } from 'uuid';
import { allRows, nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

/**
 * A person who may still have a token for the room of a session: the removed member, or an end user whom that member let in.
 */
export interface BarredMember {
  readonly projectId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly memberId: string;
}

/**
 * Returns up to `limit` former members and their end users whose tokens may still open rooms, one entry for each ACTIVE
 * session, by session and user, after `after`.
 */
export const listBarredMembers = statement(
  'list_barred_members',
  (limit: number, after?: BarredMember) => {
    const { sessionId = NIL, userId = NIL } = after ?? {};
    return [limit, sessionId, userId];
  },
  allRows<BarredMember>,
)`
select removed.project_id as "projectId", removed.user_id as "memberId",
  barred.user_id as "userId", session.id as "sessionId"
from removed_members removed
join sessions session on session.project_id = removed.project_id
cross join lateral (
  select removed.user_id
  union all
  select participant.user_id from session_end_users participant
  where participant.session_id = session.id and participant.issued_by = removed.user_id
) barred
where session.status = 'ACTIVE'
  and session.deleted_at is null
  and (session.id, barred.user_id) > ($2::uuid, $3::uuid)
order by session.id, barred.user_id
limit $1`;

/** Restarts the time for which a former member is barred: while they were in a room, the media server renewed their token. */
export const extendBar = statement(
  'extend_bar',
  ({ projectId, memberId }: Pick<BarredMember, 'projectId' | 'memberId'>) => [projectId, memberId],
  nothing,
)`
update removed_members set barred_until = default where project_id = $1 and user_id = $2`;

/**
 * Deletes the bars that have ended, except those of projects with a session in `unseen`: a former member may be in its room,
 * with a token that the media server renewed.
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
