import { firstRow, nothing, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { auditText } from '../operations/audit-events.ts';
import { endTokens } from './ended-tokens.ts';

export interface LetIn {
  readonly firstAt: string;
  readonly tokenVersion: number;
}

/**
 * Stores the end user under their present name, and that `issuedBy` lets them into the session. `id` is derived from project
 * and `externalId`. Only the first token in a session is an audit event. Returns the time at which the history begins for a
 * token that limits it (`firstAt`, ISO 8601); undefined when the session is deleted.
 */
export const upsertEndUser = statement(
  'upsert_end_user',
  ({
    id,
    projectId,
    externalId,
    name,
    sessionId,
    issuedBy,
  }: {
    id: string;
    projectId: string;
    externalId: string;
    name: string;
    sessionId: string;
    issuedBy: string;
  }) => [id, projectId, externalId, name, sessionId, issuedBy],
  firstRow<LetIn>,
)`
with end_user as (
  insert into users (id, kind, project_id, external_id, name, email, password_hash)
  values ($1::uuid, 'end_user', $2, $3, $4, 'end_user:' || $1::text, '')
  -- Without an external id the end user was forgotten: this is somebody new.
  on conflict (id) do update set
    name = excluded.name,
    external_id = excluded.external_id,
    created_at = case when users.external_id is null then now() else users.created_at end
  where users.name <> excluded.name or users.external_id is null
  returning 1
), unbarred as (
  delete from removed_members where project_id = $2 and user_id = $1
), let_in as (
  insert into session_end_users as participant
    (session_id, user_id, issued_by, project_id, session_created_at, first_at)
  -- Not before the newest stored message, whatever the clocks say. A second early otherwise: the end user's clock may be slow.
  select session.id, $1::uuid, $6, session.project_id, session.created_at,
    greatest(head.last_at, now() - interval '1 s')
  from sessions session
  join session_heads head on head.session_id = session.id
  where session.id = $5 and session.project_id = $2 and session.deleted_at is null
    -- Locks the user before the participant, as the statement that forgets them does.
    and (select count(*) from end_user) >= 0
  on conflict (session_id, user_id) do update set
    issued_by = excluded.issued_by,
    -- The former release leaves them out.
    project_id = excluded.project_id,
    session_created_at = excluded.session_created_at,
    first_at = coalesce(participant.first_at, excluded.first_at)
  returning session_id, first_at, old.session_id is null as is_first
), audited as (${auditText('end_user.let_in', {
  project: '$2::uuid',
  actor: '$6',
  target: '$1::uuid',
  detail: `jsonb_build_object('sessionId', session_id, 'externalId', $3::text)`,
  from: 'let_in where is_first',
})}
)
select first_at as "firstAt",
  coalesce((select former.token_version from users former where former.id = $1), 0) as "tokenVersion"
from let_in`;

export const FORGET_END_USER = statement(
  'forget_end_user',
  (id: string, projectId: string) => [id, projectId],
  nothing,
)`
with forgotten as (
  update users set name = 'Erased user', external_id = null
  where id = $1 and project_id = $2 and kind = 'end_user'
  returning id, project_id
), barred as (
  insert into removed_members (project_id, user_id)
  select project_id, id from forgotten
  on conflict (project_id, user_id) do update set barred_until = excluded.barred_until
)
delete from session_end_users participant using forgotten
where participant.project_id = forgotten.project_id and participant.user_id = forgotten.id`;

/**
 * Ends all tokens of an end user, bars them from rooms, and removes the name, the external id and the list of their sessions.
 * The row stays until the last token would have expired. The next token with this external id creates a new end user.
 */
export async function forgetEndUser(
  database: DatabaseAccess,
  { id, projectId }: { id: string; projectId: string },
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await endTokens(transaction, id);
    await FORGET_END_USER(transaction, id, projectId);
  });
}

export const forgetInAudit = statement(
  'forget_in_audit',
  ({ id, projectId }: { id: string; projectId: string }) => [projectId, id],
  nothing,
)`
update audit_events set detail = detail - 'externalId'
where project_id = $1
  and action = 'end_user.let_in'
  and target = $2
  and detail ? 'externalId'`;

export const deleteEndUsers = statement('delete_end_users', (limit: number) => [limit], rowCount)`
delete from users where id in (
  select end_user.id from projects project
  join users end_user on end_user.project_id = project.id and end_user.kind = 'end_user'
  where project.deleted_at is not null
  limit $1
)`;
