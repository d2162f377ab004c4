import postgres from 'postgres';

/**
 * Takes locks in a transaction that stays open until it is disposed. However long that is: PostgreSQL ends an idle transaction
 * of the programs' connections after 10 s, which a test may take longer than on a busy machine.
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
