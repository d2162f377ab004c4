import * as db from '@session/db';
import type { Deps } from '../../deps.ts';

const BATCH_SIZE = 1000;

/** Deletes a batch of expired idempotency keys, which no request can repeat any more, and returns how many. */
export async function deleteExpiredKeys({ database }: Pick<Deps, 'database'>): Promise<string[]> {
  const count = await db.deleteExpiredKeys(database, BATCH_SIZE);
  return count > 0 ? [`${count} keys`] : [];
}
