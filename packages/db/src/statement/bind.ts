import type { DatabaseAccess } from './statement.ts';

type Query = (database: DatabaseAccess, ...rest: never[]) => unknown;

export type Bound<Queries> = {
  readonly [Name in keyof Queries as Queries[Name] extends Query
    ? Name
    : never]: Queries[Name] extends (database: DatabaseAccess, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/**
 * Returns the functions of a module bound to `database`, for a consumer whose tests replace some of them. The type has
 * only the functions that take a database as their first argument. All other exports of the module are wrapped too, and
 * must not be called.
 */
export function bind<Queries extends object>(
  database: DatabaseAccess,
  queries: Queries,
): Bound<Queries>;
export function bind(database: DatabaseAccess, queries: Readonly<Record<string, Query>>): object {
  return Object.fromEntries(
    Object.entries(queries).map(([name, query]) => [
      name,
      (...rest: never[]) => query(database, ...rest),
    ]),
  );
}
