import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows, firstRow, hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { auditText } from '../operations/audit-events.ts';
import { LOCK_PROJECT } from './account-limits.ts';
import { endTokens } from './ended-tokens.ts';
import { DELETE_MEMBERSHIP } from './membership-changes.ts';

export type KeyRole = Exclude<ProjectRole, 'OWNER'>;

export interface ApiKeyRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly role: KeyRole;
  /** The beginning of the newest key, after `ck_`. */
  readonly secretId: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** When one of the secrets was last used, to the minute. */
  readonly lastUsedAt: string | null;
}

export interface SecretRow {
  readonly userId: string;
  readonly secretHash: Buffer;
  readonly tokenVersion: number;
  readonly expiresAt: string | null;
}

/** Returns the secret with that id if it is neither revoked nor expired. */
export const findSecret = statement('find_secret', (id: string) => [id], firstRow<SecretRow>)`
select secret.user_id as "userId", secret.secret_hash as "secretHash",
  users.token_version as "tokenVersion", secret.expires_at as "expiresAt"
from api_keys secret
join users on users.id = secret.user_id
where secret.id = $1 and secret.revoked_at is null and (secret.expires_at is null or secret.expires_at > now())`;

export const noteSecretUses = statement(
  'note_secret_uses',
  (ids: readonly string[]) => [ids],
  nothing,
)`
update api_keys set last_used_at = date_trunc('minute', now()) where id = any ($1::text[])`;

type KeyRow = Omit<ApiKeyRow, 'projectId'>;
type ListedKey = { readonly memberRole: ProjectRole } & ({ readonly id: null } | KeyRow);
type ListParameters = [
  projectId: string,
  callerId: string,
  before: string,
  limit: number,
  keyId: string | null,
];

export const LIST_API_KEYS = statement(
  'list_api_keys',
  (...parameters: ListParameters) => parameters,
  allRows<ListedKey>,
)`
select caller.role as "memberRole", page.*
from memberships caller
left join lateral (
  select users.id, users.name, member.role, users.created_at as "createdAt",
    newest.id as "secretId", newest.created_by as "createdBy", newest.expires_at as "expiresAt",
    (select max(last_used_at) from api_keys used where used.user_id = users.id) as "lastUsedAt"
  from users
  join memberships member on member.user_id = users.id and member.project_id = users.project_id
  cross join lateral (
    select id, created_by, expires_at from api_keys secret
    where secret.user_id = users.id
    order by secret.created_at desc, secret.id
    limit 1
  ) newest
  where users.project_id = $1
    and users.kind = 'service'
    and users.id < $3
    and ($5::uuid is null or users.id = $5)
  order by users.id desc
  limit $4
) page on true
where caller.project_id = $1
  and caller.user_id = $2
order by page.id desc`;

/**
 * Returns the caller's role with up to `limit` API keys, the newest first, after the key `before` (at first the
 * greatest UUID); undefined when the caller is not a member.
 */
export async function listApiKeys(
  database: DatabaseAccess,
  page: { projectId: string; userId: string; before: string; limit: number },
): Promise<{ memberRole: ProjectRole; keys: ApiKeyRow[] } | undefined> {
  const { projectId, userId, before, limit } = page;
  const rows = await LIST_API_KEYS(database, projectId, userId, before, limit, null);
  return keysOf(projectId, rows);
}

export const FIND_PROJECT_OF_KEY = statement(
  'find_project_of_key',
  (id: string) => [id],
  firstRow<{ readonly projectId: string }>,
)`
select project_id as "projectId" from users where id = $1 and kind = 'service'`;

/** Returns an API key and the caller's role in its project; undefined where there is no such key, or none for the caller. */
export async function findApiKey(
  database: DatabaseAccess,
  { id, userId }: { id: string; userId: string },
): Promise<{ memberRole: ProjectRole; key: ApiKeyRow } | undefined> {
  const place = await FIND_PROJECT_OF_KEY(database, id);
  if (!place) return undefined;
  const { projectId } = place;
  const rows = await LIST_API_KEYS(database, projectId, userId, GREATEST_ID, 1, id);
  const found = keysOf(projectId, rows);
  const [key] = found?.keys ?? [];
  return found && key && { memberRole: found.memberRole, key };
}

const GREATEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function keysOf(projectId: string, rows: readonly ListedKey[]) {
  const [first] = rows;
  if (!first) return undefined;
  const keys = rows.flatMap((row) => {
    if (row.id === null) return [];
    const { memberRole: _role, ...key } = row;
    return { ...key, projectId };
  });
  return { memberRole: first.memberRole, keys };
}

interface NewSecret {
  readonly secretId: string;
  readonly secretHash: Buffer;
  readonly createdBy: string;
  readonly expiresAt: string | null;
}

type InsertParameters = [
  id: string,
  projectId: string,
  name: string,
  role: KeyRole,
  membershipId: string,
  limit: number,
];

// A key is created while its project is locked, so that no two creations count the same keys.
export const INSERT_SERVICE = statement(
  'insert_service',
  (...parameters: InsertParameters) => parameters,
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

type SecretParameters = [
  id: string,
  userId: string,
  hash: Buffer,
  createdBy: string,
  expiresAt: string | null,
  action: 'api_key.created' | 'api_key.rotated',
  detail: string,
];

export const INSERT_SECRET = statement(
  'insert_secret',
  (...parameters: SecretParameters) => parameters,
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
  key: NewSecret & {
    id: string;
    projectId: string;
    name: string;
    role: KeyRole;
    membershipId: string;
  },
  limit: number,
): Promise<boolean> {
  const { id, projectId, name, role, membershipId } = key;
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    const inserted = await INSERT_SERVICE(
      transaction,
      id,
      projectId,
      name,
      role,
      membershipId,
      limit,
    );
    if (!inserted) return false;
    const parameters = secretParameters(id, key);
    const detail = JSON.stringify({ role });
    await INSERT_SECRET(transaction, ...parameters, 'api_key.created', detail);
    return true;
  });
}

function secretParameters(userId: string, secret: NewSecret) {
  const { secretId, secretHash, createdBy, expiresAt } = secret;
  return [secretId, userId, secretHash, createdBy, expiresAt] as const;
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

// A cache of API processes is emptied by the notification: see `Channel`.
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

/**
 * Stores a new secret. The older ones end after `keepHours`, or when they expire; with 0 the tokens of end users end
 * too. Returns false when the key has been deleted.
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
    if (keepHours === 0) await endTokens(transaction, id);
    const parameters = secretParameters(id, secret);
    const detail = JSON.stringify({ keepOldHours: keepHours });
    await INSERT_SECRET(transaction, ...parameters, 'api_key.rotated', detail);
    return true;
  });
}

/**
 * Revokes an API key, deletes its membership, and ends the tokens of the end users whom it let in; bars them and the
 * key from the rooms. Returns false when the key was deleted before.
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
