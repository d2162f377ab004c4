import { type DatabaseAccess, openDatabase } from '@session/db';

/** Returns the rows of a statement by its name and parameters; undefined leaves the statement to PostgreSQL. */
export type StatementAnswer = (
  name: string,
  parameters: readonly unknown[],
) => Promise<readonly object[]> | undefined;

/** Returns `database`, where `answer` comes before PostgreSQL: for answers that it cannot be made to give at a given moment. */
export function answeredDatabase({ sql }: DatabaseAccess, answer: StatementAnswer): DatabaseAccess {
  const unsafe = (text: string, parameters: string[], options: object) => {
    const name = /^\/\* (\w+) \*\//.exec(text)?.[1] ?? '';
    const rows = answer(name, parameters);
    if (rows === undefined) return sql.unsafe(text, parameters, options);
    return rows.then((found) => Object.assign([...found], { count: found.length }));
  };
  return {
    sql: new Proxy(sql, {
      get: (target, key) => (key === 'unsafe' ? unsafe : Reflect.get(target, key)),
    }),
  };
}

/** Returns a database of answers alone: any other statement fails. */
export function fakeDatabase(answer: StatementAnswer): DatabaseAccess {
  return answeredDatabase(openDatabase('postgres://nobody@127.0.0.1:1/none'), answer);
}
