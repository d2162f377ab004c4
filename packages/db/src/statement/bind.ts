import type { DatabaseAccess } from './statement.ts';

type Query = (database: DatabaseAccess, ...rest: never[]) => unknown;

export type Bound<Queries> = {
  readonly [Name in keyof Queries]: Queries[Name] extends (
    database: DatabaseAccess,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** Returns the functions bound to `database`: for a consumer whose tests replace some of them. */
export function bind<Queries extends Readonly<Record<string, Query>>>(
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
