import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { lockAccount } from '../accounts/account-limits.ts';
import { accountOf, projectsOf } from '../accounts/account-usage.ts';

export interface NewSessionRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly createdBy: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly externalId?: string | undefined;
}

export type SessionInsertion =
  | 'inserted'
  | 'not_member'
  | 'session_capacity'
  | { readonly former: string };

export const INSERT_SESSION = statement(
  'insert_session',
  (session: NewSessionRow, capacity: number | null) => [
    session.id,
    session.projectId,
    session.name,
    session.createdBy,
    capacity,
    JSON.stringify(session.metadata ?? {}),
    session.externalId ?? null,
  ],
  allRows<{ isMember: boolean; isAllowed: boolean; isInserted: boolean }>,
)`
with member as (
  select membership.project_id, membership.user_id
  from memberships membership
  where membership.project_id = $2
    and membership.user_id = $4
  -- The lock makes a deletion of the project wait for us, and then find this session.
  for key share
), allowed as (
  select member.project_id, member.user_id
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
), inserted as (
  insert into sessions (id, project_id, name, created_by, metadata, external_id)
  select $1::uuid, allowed.project_id, $3, allowed.user_id, $6::text::jsonb, $7
  from allowed
  -- Waits for another transaction that inserts the same external id.
  on conflict (project_id, external_id) where external_id is not null and deleted_at is null do nothing
  returning id, created_at
), head as (
  insert into session_heads (session_id, last_at) select id, created_at from inserted
), slot as (
  insert into recording_assignments (session_id) select id from inserted
)
select
  member.project_id is not null as "isMember",
  allowed.project_id is not null as "isAllowed",
  inserted.id is not null as "isInserted",
  case when inserted.id is not null then pg_notify('session_changed', inserted.id::text) end,
  case when inserted.id is not null then pg_notify('messages_stored', inserted.id::text) end
from (values (1)) one_row
left join member on true
left join allowed on true
left join inserted on true`;

export const findSessionOfExternalId = statement(
  'find_session_of_external_id',
  (projectId: string, externalId: string) => [projectId, externalId],
  ([row]: { readonly id: string }[]) => row?.id,
)`
select id from sessions where project_id = $1 and external_id = $2 and deleted_at is null`;

/**
 * Stores an ACTIVE session with its slot and head, and wakes the recorders, or returns why it does not: `createdBy` is not a
 * member, the external id is taken, or the account has `capacity` ACTIVE sessions, however many are inserted at once (absent
 * or 0: any number).
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
  session: NewSessionRow,
  capacity: number | null,
): Promise<SessionInsertion> {
  const { projectId, externalId } = session;
  for (;;) {
    const [outcome] = await INSERT_SESSION(database, session, capacity);
    if (outcome?.isInserted) return 'inserted';
    if (!outcome?.isMember) return 'not_member';
    if (externalId !== undefined) {
      // A separate statement, which sees what was committed while the first statement waited.
      const former = await findSessionOfExternalId(database, projectId, externalId);
      if (former !== undefined) return { former };
    }
    if (!outcome.isAllowed) return 'session_capacity';
    // Allowed, and neither inserted nor found: the session of this external id was deleted in between.
  }
}
