import { inTime } from './in-time.ts';
import type { DatabaseAccess } from './statement.ts';

/**
 * Runs `work` in a transaction, within another one in a savepoint, and returns its result. Throws what `work` throws, after a
 * rollback. The limit of `database` applies to the whole transaction.
 */
export async function inTransaction<Result>(
  { sql, limitMs }: DatabaseAccess,
  work: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  // In an object, because postgres.js would wait for each element of an array that is returned.
  const run = async () =>
    'savepoint' in sql
      ? await sql.savepoint(async (inner) => ({ result: await work({ sql: inner }) }))
      : await sql.begin(async (inner) => ({ result: await work({ sql: inner }) }));
  const { result } = await (limitMs === undefined ? run() : inTime(run(), limitMs));
  return result;
}
