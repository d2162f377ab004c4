import type { RowList, Sql, TransactionSql } from 'postgres';
import { inTime } from './in-time.ts';
import { measured } from './statement-run.ts';

type SqlClient = Sql | TransactionSql;

/** What statements run on: the pool that `openDatabase` returns, that pool within a limit, or a transaction. */
export interface DatabaseAccess {
  readonly sql: SqlClient;
  /** How long a statement, or a transaction as a whole, may take; undefined: as long as the server allows. */
  readonly limitMs?: number;
}

/** Returns `database` with a limit: what has no result after `limitMs` throws `unavailable`, and may still be committed. */
export function withinLimit({ sql }: DatabaseAccess, limitMs: number): DatabaseAccess {
  return { sql, limitMs };
}

export type StatementParameter =
  | string
  | number
  | boolean
  | null
  | Buffer
  | readonly string[]
  | readonly number[];

/**
 * One SQL statement with the parameters `$1`, `$2` …
 * - `name`: in snake case, unique among all statements; `text` begins with it, as a comment.
 * - `run`: with parameters it is prepared at its first use on each connection.
 */
export interface Statement<Parameters extends readonly StatementParameter[], Row extends object> {
  readonly name: string;
  readonly text: string;
  run(database: DatabaseAccess, ...parameters: Parameters): Promise<RowList<Row[]>>;
}

/** Returns the statement `text`. Its name is in `pg_stat_activity`, `pg_stat_statements` and PostgreSQL's log. */
export function statement<
  Parameters extends readonly StatementParameter[],
  Row extends object = object,
>(name: string, text: string): Statement<Parameters, Row> {
  const namedText = `/* ${name} */ ${text.trim()}`;
  return {
    name,
    text: namedText,
    async run({ sql, limitMs }, ...parameters) {
      const answer = measured(
        name,
        async () => await sql.unsafe<Row[]>(namedText, [...parameters], { prepare: true }),
      );
      return await (limitMs === undefined ? answer : inTime(answer, limitMs));
    },
  };
}
