import { hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { stopExternalText } from '../agents/external-agents.ts';
import { auditText } from '../operations/audit-events.ts';
import { LOCK_PROJECT } from './account-limits.ts';
import type { ApiKeyRow, KeyRole } from './api-keys.ts';
import { endTokens } from './ended-tokens.ts';
import { DELETE_MEMBERSHIP } from './membership-changes.ts';

interface NewSecret {
  readonly secretId: string;
  readonly secretHash: Buffer;
  readonly createdBy: string;
  readonly expiresAt: string | null;
}

interface NewKeyRow extends NewSecret {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly role: KeyRole;
  readonly membershipId: string;
}

// A key is created while its project is locked, so that no two creations count the same keys.
export const INSERT_SERVICE = statement(
  'insert_service',
  ({ id, projectId, name, role, membershipId }: NewKeyRow, limit: number) => [
    id,
    projectId,
    name,
    role,
    membershipId,
    limit,
  ],
  hasRows,
)`
with project as (
  select id from projects where id = $2 and deleted_at is null
), service as (
  insert into users (id, kind, project_id, name, email, password_hash)
  select $1::uuid, 'service', project.id, $3, 'service:' || $1::text, ''
  from project
  where $6::int > (
    select count(*) from users other
    join memberships member on member.user_id = other.id and member.project_id = other.project_id
    where other.project_id = $2 and other.kind = 'service'
  )
  returning id, project_id
)
insert into memberships (id, user_id, project_id, role)
select $5::uuid, service.id, service.project_id, $4 from service
returning 1`;

export const INSERT_SECRET = statement(
  'insert_secret',
  (
    userId: string,
    secret: NewSecret,
    action: 'api_key.created' | 'api_key.rotated',
    detail: object,
  ) => [
    secret.secretId,
    userId,
    secret.secretHash,
    secret.createdBy,
    secret.expiresAt,
    action,
    JSON.stringify(detail),
  ],
  nothing,
)`
with audited as (${auditText('$6', {
  project: 'project_id',
  actor: '$4',
  target: '$2::uuid',
  detail: '$7::text::jsonb',
  from: 'users where id = $2',
})}
)
insert into api_keys (id, user_id, secret_hash, created_by, expires_at, created_at)
-- Not the time when the transaction began: the newest secret is the one that was stored last.
values ($1, $2, $3, $4, $5, clock_timestamp())`;

/** Stores an API key. Returns false when the project has `limit` keys already, or is deleted. */
export async function insertApiKey(
  database: DatabaseAccess,
  key: NewKeyRow,
  limit: number,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, key.projectId);
    if (!(await INSERT_SERVICE(transaction, key, limit))) return false;
    await INSERT_SECRET(transaction, key.id, key, 'api_key.created', { role: key.role });
    return true;
  });
}

export const LOCK_SERVICE = statement(
  'lock_service',
  (id: string, projectId: string) => [id, projectId],
  hasRows,
)`
select from users
join memberships member on member.user_id = users.id and member.project_id = users.project_id
where users.id = $1 and users.project_id = $2 and users.kind = 'service'
for no key update of users`;

// The notification empties a cache of the API processes: see `Channel`.
export const END_SECRETS = statement(
  'end_secrets',
  (userId: string, keepHours: number) => [userId, keepHours],
  nothing,
)`
update api_keys
set expires_at = least(expires_at, now() + $2::int * interval '1 hour'),
  revoked_at = case when $2::int = 0 then now() end
where user_id = $1 and revoked_at is null and (expires_at is null or expires_at > now())
returning case when $2::int = 0 then pg_notify('caller_changed', id) end`;

export const DELETE_ENDED_SECRETS = statement(
  'delete_ended_secrets',
  (userId: string) => [userId],
  nothing,
)`
delete from api_keys where user_id = $1 and (revoked_at is not null or expires_at <= now())`;

export const STOP_EXTERNAL_AGENTS = statement(
  'stop_external_agents',
  (projectId: string, userId: string, by: string) => [projectId, userId, by],
  nothing,
)`
with service as (
  select $1::uuid as project_id, $2::uuid as user_id
), ${stopExternalText('service', '$3')}
select from stopped`;

/**
 * Stores a new secret. The older ones end after `keepHours`, or when they expire. With 0 hours, the tokens of end users
 * end too, and the key's external agents stop, but nobody is barred from a room. Returns false when the key has been
 * deleted.
 */
export async function rotateApiKey(
  database: DatabaseAccess,
  { id, projectId }: Pick<ApiKeyRow, 'id' | 'projectId'>,
  secret: NewSecret,
  keepHours: number,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    if (!(await lockService(transaction, id, projectId))) return false;
    await DELETE_ENDED_SECRETS(transaction, id);
    await END_SECRETS(transaction, id, keepHours);
    if (keepHours === 0) {
      await endTokens(transaction, id);
      await STOP_EXTERNAL_AGENTS(transaction, projectId, id, secret.createdBy);
    }
    await INSERT_SECRET(transaction, id, secret, 'api_key.rotated', { keepOldHours: keepHours });
    return true;
  });
}

/**
 * Revokes an API key, deletes its membership, and ends the tokens of the end users whom it let in. Bars the key and these end
 * users from the rooms. Returns false when the key was deleted before.
 */
export async function deleteApiKey(
  database: DatabaseAccess,
  { id, projectId }: Pick<ApiKeyRow, 'id' | 'projectId'>,
  by?: string,
): Promise<boolean> {
  return await inTransaction(database, async (transaction) => {
    if (!(await lockService(transaction, id, projectId))) return false;
    await END_SECRETS(transaction, id, 0);
    await endTokens(transaction, id);
    await DELETE_MEMBERSHIP(transaction, projectId, id, by ?? null, 'api_key.deleted');
    return true;
  });
}

async function lockService(transaction: DatabaseAccess, id: string, projectId: string) {
  await LOCK_PROJECT(transaction, projectId);
  return await LOCK_SERVICE(transaction, id, projectId);
}
