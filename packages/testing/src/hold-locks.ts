import postgres from 'postgres';

/**
 * Takes locks in a transaction that stays open until its disposal. Uses a plain connection: on connections of our programs,
 * PostgreSQL ends a transaction that is idle for 10 s, and a test on a busy machine may take longer.
 */
export async function holdLocks(
  url: string,
  take: (sql: postgres.Sql) => Promise<unknown>,
): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const sql = stack.adopt(postgres(url, { max: 1, onnotice: () => {} }), (client) => client.end());
  await sql`begin`;
  await take(sql);
  stack.defer(async () => {
    await sql`commit`;
  });
  return stack.move();
}
