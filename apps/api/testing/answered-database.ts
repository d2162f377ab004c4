import { type DatabaseAccess, openDatabase } from '@session/db';

/** Returns the rows of a statement by its name and parameters; undefined leaves the statement to PostgreSQL. */
export type StatementAnswer = (
  name: string,
  parameters: readonly unknown[],
) => Promise<readonly object[]> | undefined;

type Sql = DatabaseAccess['sql'];

/**
 * Returns `database`, where `answer` is asked before PostgreSQL, in transactions too. For answers that PostgreSQL cannot be
 * made to give at a given moment.
 */
export function answeredDatabase({ sql }: DatabaseAccess, answer: StatementAnswer): DatabaseAccess {
  return { sql: answeredSql(sql, answer) };
}

function answeredSql(sql: Sql, answer: StatementAnswer): Sql {
  const unsafe = (text: string, parameters: string[], options: object) => {
    const name = /^\/\* (\w+) \*\//.exec(text)?.[1] ?? '';
    const rows = answer(name, parameters);
    if (rows === undefined) return sql.unsafe(text, parameters, options);
    return rows.then((found) => Object.assign([...found], { count: found.length }));
  };
  const begin = async (work: (inner: Sql) => Promise<unknown>) =>
    'begin' in sql ? await sql.begin((inner) => work(answeredSql(inner, answer))) : undefined;
  return new Proxy(sql, {
    get(target, key) {
      if (key === 'unsafe') return unsafe;
      return key === 'begin' ? begin : Reflect.get(target, key);
    },
  });
}

/** Returns a database that has only these answers; any other statement fails. */
export function fakeDatabase(answer: StatementAnswer): DatabaseAccess {
  return answeredDatabase(openDatabase('postgres://nobody@127.0.0.1:1/none'), answer);
}
