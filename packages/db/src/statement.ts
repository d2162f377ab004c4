import type { RowList, Sql, TransactionSql } from 'postgres';
import { measured } from './statement-run.ts';

/** The pool of connections, or one transaction on one of them. */
export type SqlClient = Sql | TransactionSql;

/** What the query modules need of a database: the pool that `openDatabase` returns, or a transaction of `inTransaction`. */
export interface DatabaseAccess {
  readonly sql: SqlClient;
}

type Parameter = string | number | boolean | null | Buffer | readonly string[] | readonly number[];

/** One SQL statement: `Parameters` are `$1`, `$2` … in their order, and `Row` is what PostgreSQL returns. */
export interface Statement<Parameters extends readonly Parameter[], Row extends object> {
  /** In snake case, and unique among all statements. */
  readonly name: string;
  /** Begins with the name, as a comment. */
  readonly text: string;
  /**
   * Runs the statement on `client`. A statement with parameters is prepared at its first use on each connection; one without
   * is sent as it is.
   */
  run(client: SqlClient, ...parameters: Parameters): Promise<RowList<Row[]>>;
}

/**
 * Returns the statement that `text` says. All statements of the query modules are made here. The name goes with the text, so
 * that `pg_stat_activity`, `pg_stat_statements` and PostgreSQL's log say which function of ours a statement belongs to.
 */
export function statement<Parameters extends readonly Parameter[], Row extends object = object>(
  name: string,
  text: string,
): Statement<Parameters, Row> {
  const namedText = `/* ${name} */ ${text.trim()}`;
  return {
    name,
    text: namedText,
    async run(client, ...parameters) {
      return await measured(
        name,
        async () => await client.unsafe<Row[]>(namedText, [...parameters], { prepare: true }),
      );
    },
  };
}
