import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { auditText } from '../operations/audit-events.ts';

type UpsertParameters = [
  id: string,
  projectId: string,
  externalId: string,
  name: string,
  sessionId: string,
  issuedBy: string,
];

export const UPSERT_END_USER = statement<UpsertParameters>(
  'upsert_end_user',
  `
with end_user as (
  insert into users (id, kind, project_id, external_id, name, email, password_hash)
  values ($1::uuid, 'end_user', $2, $3, $4, 'end_user:' || $1::text, '')
  on conflict (id) do update set name = excluded.name where users.name <> excluded.name
), let_in as (
  insert into session_end_users (session_id, user_id, issued_by)
  select id, $1::uuid, $6 from sessions
  where id = $5 and project_id = $2 and deleted_at is null
  on conflict (session_id, user_id) do update set issued_by = excluded.issued_by
    where session_end_users.issued_by <> excluded.issued_by
  returning session_id, old.session_id is null as is_first
), audited as (${auditText('end_user.let_in', {
    project: '$2::uuid',
    actor: '$6',
    target: '$1::uuid',
    detail: `jsonb_build_object('sessionId', session_id, 'externalId', $3::text)`,
    from: 'let_in where is_first',
  })}
)
select from let_in`,
);

/**
 * Stores the end user of a customer's product under their present name, and that the account `issuedBy` lets them into the
 * session. `id` follows from project and `externalId`, so an end user is one account in all sessions of the project. Only the
 * first token of an end user in a session is an audit event.
 */
export async function upsertEndUser(
  database: DatabaseAccess,
  endUser: {
    id: string;
    projectId: string;
    externalId: string;
    name: string;
    sessionId: string;
    issuedBy: string;
  },
): Promise<void> {
  const { id, projectId, externalId, name, sessionId, issuedBy } = endUser;
  await UPSERT_END_USER.run(database, id, projectId, externalId, name, sessionId, issuedBy);
}

export const DELETE_END_USERS = statement<[limit: number]>(
  'delete_end_users',
  `
delete from users where id in (
  select end_user.id from projects project
  join users end_user on end_user.project_id = project.id and end_user.kind = 'end_user'
  where project.deleted_at is not null
  limit $1
)`,
);

/** Deletes up to `limit` end users of marked projects, and returns their number. */
export async function deleteEndUsers(database: DatabaseAccess, limit: number): Promise<number> {
  return (await DELETE_END_USERS.run(database, limit)).count;
}
