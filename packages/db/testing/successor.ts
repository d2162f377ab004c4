import type { TestProject } from './project.ts';

/**
 * Creates the role `owner`, and one that takes its place by the statements of docs/operations.md, "The password of the database".
 * Returns the second one's URL.
 */
export async function createSuccessor(
  { sql, url }: Pick<TestProject, 'sql' | 'url'>,
  owner: string,
): Promise<string> {
  const own = new URL(url);
  const database = own.pathname.slice(1);
  own.username = `${owner}_next`;
  own.password = 'second';
  await sql.unsafe(`create role ${owner} login password 'first'`);
  await sql.unsafe(`create role ${owner}_next login password 'second' in role ${owner}`);
  await sql.unsafe(`alter role ${owner}_next in database ${database} set role = '${owner}'`);
  return own.href;
}

/** Drops both roles. Neither may own anything. */
export async function dropSuccessor(
  { sql }: Pick<TestProject, 'sql'>,
  owner: string,
): Promise<void> {
  await sql.unsafe(`drop role ${owner}_next, ${owner}`);
}
