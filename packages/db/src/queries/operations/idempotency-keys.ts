import { allRows, hasRows, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

/** `formerHash`: the same request, hashed with the former secret. */
interface KeyClaim {
  readonly scope: string;
  readonly key: string;
  readonly requestHash: Buffer;
  readonly formerHash?: Buffer;
  readonly objectId: string;
}

interface KeyUse {
  readonly objectId: string;
  readonly isSame: boolean;
}

const KEY_LIFETIME = `interval '24 h'`;

type ClaimParameters = [scope: string, key: string, requestHash: Buffer, objectId: string];

export const CLAIM_KEY = statement(
  'claim_key',
  (...parameters: ClaimParameters) => parameters,
  hasRows,
)`
insert into idempotency_keys as former (scope, key, request_hash, object_id)
values ($1, $2, $3, $4)
on conflict (scope, key) do update set
  request_hash = excluded.request_hash,
  object_id = excluded.object_id,
  created_at = now()
where former.created_at <= now() - ${KEY_LIFETIME}
returning 1`;

export const FIND_KEY_USE = statement(
  'find_key_use',
  (scope: string, key: string, requestHash: Buffer, formerHash: Buffer) => [
    scope,
    key,
    requestHash,
    formerHash,
  ],
  allRows<KeyUse>,
)`
select object_id as "objectId", request_hash in ($3, $4) as "isSame"
from idempotency_keys
where scope = $1 and key = $2`;

/**
 * Claims a key for 24 h, as the first statement of the transaction that creates the object. Returns undefined when the key
 * was free, otherwise the object that was created under it, and whether the request was the same. Waits for another
 * transaction that has the key, up to the lock timeout (55P03).
 */
export async function claimKey(
  database: DatabaseAccess,
  { scope, key, requestHash, formerHash = requestHash, objectId }: KeyClaim,
): Promise<KeyUse | undefined> {
  if (await CLAIM_KEY(database, scope, key, requestHash, objectId)) return undefined;
  // A separate statement, which sees what was committed while the first statement waited.
  const [use] = await FIND_KEY_USE(database, scope, key, requestHash, formerHash);
  if (!use) throw new Error('the idempotency key was neither free nor found');
  return { ...use };
}

// A limit in a subquery holds only if the subquery runs once, which PostgreSQL does not promise unless it is materialized.
export const deleteExpiredKeys = statement(
  'delete_expired_keys',
  (limit: number) => [limit],
  rowCount,
)`
with expired as materialized (
  select scope, key from idempotency_keys
  where created_at <= now() - ${KEY_LIFETIME}
  order by created_at
  limit $1
  for update skip locked
)
delete from idempotency_keys claimed
using expired
where claimed.scope = expired.scope and claimed.key = expired.key`;
