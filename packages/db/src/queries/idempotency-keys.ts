import type { Database } from '../client.ts';

interface KeyClaim {
  /** A UUID: a key means something only within it. */
  readonly scope: string;
  readonly key: string;
  /** Of what is asked for. */
  readonly requestHash: Buffer;
  /** What the request is to make. */
  readonly objectId: string;
}

export interface IdempotencyKeyQueries {
  /**
   * Claims a key, for 24 h, as the first statement of the transaction that makes the object: so both stay or neither. Gives
   * undefined then, else what the key has made before, and whether the request was the same. While another transaction
   * has the key it waits, and throws a lock timeout (55P03).
   */
  claimKey(claim: KeyClaim): Promise<{ objectId: string; isSame: boolean } | undefined>;
  /** Deletes up to `limit` keys that nobody can come back with, and gives their number. */
  deleteExpiredKeys(limit: number): Promise<number>;
}

const CLAIM = `
insert into idempotency_keys as k (scope, key, request_hash, object_id) values ($1, $2, $3, $4)
on conflict (scope, key) do update set request_hash = excluded.request_hash, object_id = excluded.object_id, created_at = now()
where k.created_at <= now() - interval '24 h' returning 1`;

const FIND = `
select object_id as "objectId", request_hash = $3 as "isSame" from idempotency_keys where scope = $1 and key = $2`;

// A limit in a subquery holds only if that is read once, which PostgreSQL does not promise.
const DELETE_EXPIRED = `
with expired as materialized (
  select scope, key from idempotency_keys where created_at <= now() - interval '24 h'
  order by created_at limit $1 for update skip locked)
delete from idempotency_keys k using expired e where k.scope = e.scope and k.key = e.key`;

/** Gives the statements on `idempotency_keys`; they are prepared at their first use on each connection. */
export function prepareIdempotencyKeyQueries({
  sql,
}: Pick<Database, 'sql'>): IdempotencyKeyQueries {
  const prepare = true;
  return {
    async claimKey({ scope, key, requestHash, objectId }) {
      const claimed = await sql.unsafe(CLAIM, [scope, key, requestHash, objectId], { prepare });
      if (claimed.length > 0) return undefined;
      // A statement of its own: it sees what was committed while the first one waited.
      interface Made {
        objectId: string;
        isSame: boolean;
      }
      const [made] = await sql.unsafe<Made[]>(FIND, [scope, key, requestHash], { prepare });
      if (!made) throw new Error('a key that could not be claimed is there');
      return { ...made };
    },
    async deleteExpiredKeys(limit) {
      return (await sql.unsafe(DELETE_EXPIRED, [limit], { prepare })).count;
    },
  };
}
