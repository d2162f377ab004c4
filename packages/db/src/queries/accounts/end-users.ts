import { isoFromText } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { auditText } from '../operations/audit-events.ts';
import { END_TOKENS } from './ended-tokens.ts';

type UpsertParameters = [
  id: string,
  projectId: string,
  externalId: string,
  name: string,
  sessionId: string,
  issuedBy: string,
];

/** `tokenVersion`: the end user's tokens of smaller versions have ended. */
export interface LetIn {
  readonly firstAt: string;
  readonly tokenVersion: number;
}

export const UPSERT_END_USER = statement<UpsertParameters, LetIn>(
  'upsert_end_user',
  `
with end_user as (
  insert into users (id, kind, project_id, external_id, name, email, password_hash)
  values ($1::uuid, 'end_user', $2, $3, $4, 'end_user:' || $1::text, '')
  -- Without an external id the end user was forgotten: this is somebody new.
  on conflict (id) do update set
    name = excluded.name,
    external_id = excluded.external_id,
    created_at = case when users.external_id is null then now() else users.created_at end
  where users.name <> excluded.name or users.external_id is null
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
from let_in`,
);

/**
 * Stores the end user under their present name, and that `issuedBy` lets them into the session. `id` follows from
 * project and `externalId`. Only the first token in a session is an audit event. Returns when the history since the
 * first token begins (`firstAt`, ISO 8601); undefined when the session is deleted.
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
): Promise<LetIn | undefined> {
  const { id, projectId, externalId, name, sessionId, issuedBy } = endUser;
  const parameters = [id, projectId, externalId, name, sessionId, issuedBy] as const;
  const [row] = await UPSERT_END_USER.run(database, ...parameters);
  return row && { ...row, firstAt: isoFromText(row.firstAt) };
}

export const FORGET_END_USER = statement<[id: string, projectId: string]>(
  'forget_end_user',
  `
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
where participant.project_id = forgotten.project_id and participant.user_id = forgotten.id`,
);

/**
 * Ends all tokens of an end user, and forgets the name, the external id and the sessions. The row stays until the last token
 * would have expired: the next token with the external id creates a new end user.
 */
export async function forgetEndUser(
  database: DatabaseAccess,
  { id, projectId }: { id: string; projectId: string },
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await END_TOKENS.run(transaction, id);
    await FORGET_END_USER.run(transaction, id, projectId);
  });
}

export const FORGET_IN_AUDIT = statement<[projectId: string, id: string]>(
  'forget_in_audit',
  `
update audit_events set detail = detail - 'externalId'
where project_id = $1
  and action = 'end_user.let_in'
  and target = $2
  and detail ? 'externalId'`,
);

/** Removes the external id of an end user from the audit trail of the project. */
export async function forgetInAudit(
  database: DatabaseAccess,
  { id, projectId }: { id: string; projectId: string },
): Promise<void> {
  await FORGET_IN_AUDIT.run(database, projectId, id);
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
