import type { Deps } from '../../deps.ts';

const BATCH = 1000;

/** Deletes idempotency keys that nobody can come back with, a batch at a time, and says how many. */
export async function deleteExpiredKeys({
  idempotencyKeys,
}: Pick<Deps, 'idempotencyKeys'>): Promise<string[]> {
  const count = await idempotencyKeys.deleteExpiredKeys(BATCH);
  return count > 0 ? [`${count} keys`] : [];
}
