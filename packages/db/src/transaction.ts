import type { Sql, TransactionSql } from 'postgres';
import type { Database } from './client.ts';
import { drizzle } from './drizzle.ts';

/**
 * Runs `work` in one transaction, which ends with it: what is prepared on the database that it gets belongs to it, and what
 * would be a transaction of its own becomes a savepoint. Throws what `work` throws, after nothing has been done.
 */
export async function inTransaction(
  { sql }: Pick<Database, 'sql'>,
  work: (database: Pick<Database, 'db' | 'sql'>) => Promise<void>,
): Promise<void> {
  await sql.begin(async (transaction) => {
    const bound = bindTo(transaction, sql);
    await work({ sql: bound, db: drizzle(bound) });
  });
}

/** Drizzle asks a client for its options, which a transaction of postgres.js does not have: they come from the pool. */
function bindTo(transaction: TransactionSql, pool: Sql): Sql {
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'unsafe') return transaction.unsafe.bind(transaction);
      if (name === 'begin') return transaction.savepoint.bind(transaction);
      if (name === 'options') return target.options;
      throw new Error(`a transaction has no ${String(name)}`);
    },
  });
}
