import { NIL } from 'uuid';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

/** Somebody who may still have a token for the room of a session: the removed member, or an end user whom they let in. */
export interface BarredMember {
  readonly projectId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly memberId: string;
}

export const LIST_BARRED_MEMBERS = statement<
  [limit: number, afterSession: string, afterUser: string],
  BarredMember
>(
  'list_barred_members',
  `
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
limit $1`,
);

/**
 * Returns up to `limit` former members and their end users whose tokens may still open rooms, one entry for each ACTIVE
 * session, by session and user, after `after`.
 */
export async function listBarredMembers(
  database: DatabaseAccess,
  limit: number,
  after?: BarredMember,
): Promise<BarredMember[]> {
  const { sessionId = NIL, userId = NIL } = after ?? {};
  return [...(await LIST_BARRED_MEMBERS.run(database, limit, sessionId, userId))];
}

export const EXTEND_BAR = statement<[projectId: string, userId: string]>(
  'extend_bar',
  `update removed_members set barred_until = default where project_id = $1 and user_id = $2`,
);

/** Restarts the time for which a former member is barred: while they were in a room, the media server renewed their token. */
export async function extendBar(
  database: DatabaseAccess,
  { projectId, memberId }: Pick<BarredMember, 'projectId' | 'memberId'>,
): Promise<void> {
  await EXTEND_BAR.run(database, projectId, memberId);
}

export const FORGET_REMOVED_MEMBERS = statement<[]>(
  'forget_removed_members',
  `delete from removed_members where barred_until <= now()`,
);

export async function forgetRemovedMembers(database: DatabaseAccess): Promise<void> {
  await FORGET_REMOVED_MEMBERS.run(database);
}
