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

/**
 * Returns `database` with a limit: a statement without a result after `limitMs` throws `unavailable`, and may still be
 * committed.
 */
export function withinLimit({ sql }: DatabaseAccess, limitMs: number): DatabaseAccess {
  return { sql, limitMs };
}

/** Returns `database` with only the server's own limit: results come only when the server has ended the statement. */
export function withoutLimit({ sql }: DatabaseAccess): DatabaseAccess {
  return { sql };
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
 * One SQL statement as a function, which runs it: with parameters it is prepared at its first use on each connection.
 * - `name`: in snake case, unique among all statements; `text` begins with it, as a comment.
 */
export interface Statement<Given extends readonly unknown[], Result> {
  (database: DatabaseAccess, ...given: Given): Promise<Result>;
  readonly name: string;
  readonly text: string;
}

type Tag<Result> = (text: TemplateStringsArray, ...parts: readonly (string | number)[]) => Result;

/**
 * Returns a template tag that makes a statement of SQL text. Interpolated values become part of the text. The name appears in
 * `pg_stat_activity`, `pg_stat_statements` and PostgreSQL's log.
 * @param parametersOf returns the parameters `$1`, `$2` … for the arguments of a call.
 * @param resultOf returns the result of a call for its rows; `rows.ts` has the usual ones.
 */
export function statement<Given extends readonly unknown[], Row extends object, Result>(
  name: string,
  parametersOf: (...given: Given) => readonly StatementParameter[],
  resultOf: (rows: RowList<Row[]>) => Result,
): Tag<Statement<Given, Result>>;
export function statement<Given extends readonly unknown[]>(
  name: string,
  parametersOf: (...given: Given) => readonly StatementParameter[],
  resultOf: (rows: RowList<object[]>) => unknown,
): Tag<Statement<Given, unknown>> {
  return (strings, ...parts) => {
    const text = `/* ${name} */ ${String.raw({ raw: strings }, ...parts).trim()}`;
    const run = async ({ sql, limitMs }: DatabaseAccess, ...given: Given) => {
      const query = sql.unsafe<object[]>(text, [...parametersOf(...given)], { prepare: true });
      const answer = measured(name, query);
      return resultOf(await (limitMs === undefined ? answer : inTime(answer, limitMs)));
    };
    return Object.defineProperty(Object.assign(run, { text }), 'name', { value: name });
  };
}
