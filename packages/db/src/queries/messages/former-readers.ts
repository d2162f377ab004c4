import { statement } from '../../statement/statement.ts';

/** Returns the indexes of the readers whose session was deleted, or whose membership of its project has ended. */
export const listFormerReaders = statement(
  'list_former_readers',
  (readers: readonly { readonly sessionId: string; readonly userId: string }[]) => {
    const sessionIds = readers.map(({ sessionId }) => sessionId);
    const userIds = readers.map(({ userId }) => userId);
    return [sessionIds, userIds];
  },
  (rows: { readonly index: number }[]) => rows.map(({ index }) => index),
)`
select (reader.number - 1)::int as index
from unnest($1::uuid[], $2::uuid[]) with ordinality reader (session_id, user_id, number)
left join sessions session on session.id = reader.session_id and session.deleted_at is null
left join memberships membership
  on membership.project_id = session.project_id and membership.user_id = reader.user_id
where membership.id is null`;
