import type { DatabaseAccess } from './statement.ts';

/**
 * Runs `work` in one transaction, commits it, and returns the result of `work`. Within another transaction it becomes a
 * savepoint. Throws what `work` throws, after a rollback.
 */
export async function inTransaction<Result>(
  { sql }: DatabaseAccess,
  work: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  // In an object, because postgres.js would wait for each element of an array that is returned.
  const { result } =
    'savepoint' in sql
      ? await sql.savepoint(async (inner) => ({ result: await work({ sql: inner }) }))
      : await sql.begin(async (inner) => ({ result: await work({ sql: inner }) }));
  return result;
}
