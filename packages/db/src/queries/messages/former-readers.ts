import { type DatabaseAccess, statement } from '../../statement/statement.ts';

export const LIST_FORMER_READERS = statement<
  [sessionIds: readonly string[], userIds: readonly string[]],
  { readonly index: number }
>(
  'list_former_readers',
  `
select (reader.number - 1)::int as index
from unnest($1::uuid[], $2::uuid[]) with ordinality reader (session_id, user_id, number)
left join sessions session on session.id = reader.session_id and session.deleted_at is null
left join memberships membership
  on membership.project_id = session.project_id and membership.user_id = reader.user_id
where membership.id is null`,
);

/** Returns the indexes of the readers whose session was deleted, or whose membership of its project has ended. */
export async function listFormerReaders(
  database: DatabaseAccess,
  readers: readonly { readonly sessionId: string; readonly userId: string }[],
): Promise<number[]> {
  const sessionIds = readers.map(({ sessionId }) => sessionId);
  const userIds = readers.map(({ userId }) => userId);
  const rows = await LIST_FORMER_READERS.run(database, sessionIds, userIds);
  return rows.map(({ index }) => index);
}
