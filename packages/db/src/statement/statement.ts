import { withDeadline } from '@session/kit';
import type { RowList, Sql, TransactionSql } from 'postgres';
import { measured } from './statement-run.ts';

type SqlClient = Sql | TransactionSql;

/** What statements run on: the pool that `openDatabase` returns, that pool within a limit, or a transaction. */
export interface DatabaseAccess {
  readonly sql: SqlClient;
  /** How long a statement, or a transaction as a whole, may take; undefined: as long as the server allows. */
  readonly limitMs?: number;
}

/**
 * Returns `database` with a limit: a statement or a transaction without a result after `limitMs` throws `unavailable`. What
 * was sent goes on, and may still be committed.
 */
export function withinLimit({ sql }: DatabaseAccess, limitMs: number): DatabaseAccess {
  return { sql, limitMs };
}

type Parameter = string | number | boolean | null | Buffer | readonly string[] | readonly number[];

/**
 * One SQL statement: `Parameters` are `$1`, `$2` … in their order, and `Row` is what PostgreSQL returns.
 *
 * - `name`: in snake case, and unique among all statements.
 * - `text`: begins with the name, as a comment.
 * - `run`: runs the statement. With parameters it is prepared at its first use on each connection; without it is sent as
 *   it is.
 */
export interface Statement<Parameters extends readonly Parameter[], Row extends object> {
  readonly name: string;
  readonly text: string;
  run(database: DatabaseAccess, ...parameters: Parameters): Promise<RowList<Row[]>>;
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
    async run({ sql, limitMs }, ...parameters) {
      const answer = measured(
        name,
        async () => await sql.unsafe<Row[]>(namedText, [...parameters], { prepare: true }),
      );
      return await (limitMs === undefined ? answer : withDeadline(answer, limitMs));
    },
  };
}
