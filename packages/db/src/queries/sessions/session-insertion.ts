import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { lockAccount } from '../accounts/account-limits.ts';
import { accountOf, projectsOf } from '../accounts/account-usage.ts';

export interface NewSessionRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly createdBy: string;
}

export type SessionInsertion = 'inserted' | 'not_member' | 'session_capacity';

type InsertParameters = [
  id: string,
  projectId: string,
  name: string,
  createdBy: string,
  capacity: number | null,
];

export const INSERT_SESSION = statement<
  InsertParameters,
  { isMember: boolean; isInserted: boolean }
>(
  'insert_session',
  `
with member as (
  select membership.project_id, membership.user_id
  from memberships membership
  where membership.project_id = $2
    and membership.user_id = $4
  -- The lock makes a deletion of the project wait for us, and then find this session.
  for key share
), inserted as (
  insert into sessions (id, project_id, name, created_by)
  select $1::uuid, member.project_id, $3, member.user_id
  from member
  where $5::int is null
    or $5::int > (
      select count(*) from (
        select from (${projectsOf(accountOf('$2'))}) counted
        join sessions active on active.project_id = counted.project_id
        where active.status = 'ACTIVE' and active.deleted_at is null
        limit $5
      ) active_session
    )
  returning id, created_at
), head as (
  insert into session_heads (session_id, last_at) select id, created_at from inserted
), slot as (
  insert into recording_assignments (session_id) select id from inserted
)
select
  member.project_id is not null as "isMember",
  inserted.id is not null as "isInserted",
  case when inserted.id is not null then pg_notify('session_changed', inserted.id::text) end
from (values (1)) one_row
left join member on true
left join inserted on true`,
);

/**
 * Stores an ACTIVE session with all that its recording needs, and wakes the recorders; or returns why it did not:
 * `createdBy` is no member of the project, or the account of the project has `capacity` ACTIVE sessions already. It never
 * gets more than that, however many are inserted at once. Without a capacity, or with 0, there is no limit.
 */
export async function insertSession(
  database: DatabaseAccess,
  session: NewSessionRow,
  capacity = 0,
): Promise<SessionInsertion> {
  if (capacity === 0) return await insertWithin(database, session, null);
  return await inTransaction(database, async (transaction) => {
    await lockAccount(transaction, session.projectId);
    return await insertWithin(transaction, session, capacity);
  });
}

async function insertWithin(
  database: DatabaseAccess,
  { id, projectId, name, createdBy }: NewSessionRow,
  capacity: number | null,
): Promise<SessionInsertion> {
  const [outcome] = await INSERT_SESSION.run(database, id, projectId, name, createdBy, capacity);
  if (outcome?.isInserted) return 'inserted';
  return outcome?.isMember ? 'session_capacity' : 'not_member';
}
