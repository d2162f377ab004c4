import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows, firstRow, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { pageOfMember, type RowOfMember } from './memberships.ts';

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
  readonly lastUsedAt: string | null;
}

export interface SecretRow {
  readonly userId: string;
  readonly secretHash: Buffer;
  readonly tokenVersion: number;
  readonly expiresAt: string | null;
}

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
  allRows<RowOfMember<KeyRow>>,
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
 * Returns the caller's role with up to `limit` API keys, the newest first, after the key `before` (at first the greatest
 * UUID); undefined when the caller is not a member.
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

function keysOf(projectId: string, rows: readonly RowOfMember<KeyRow>[]) {
  const page = pageOfMember<KeyRow>(rows);
  if (!page) return undefined;
  const keys = page.items.map((key) => ({ ...key, projectId }));
  return { memberRole: page.memberRole, keys };
}
