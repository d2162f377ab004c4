import type { Sql } from 'postgres';

/** Returns how often each table was read as a whole. */
export async function wholeReads(sql: Sql): Promise<Map<string, number>> {
  await sql`select pg_stat_force_next_flush()`;
  const rows = await sql<{ table: string; count: string }[]>`
    select relname as table, seq_scan as count from pg_stat_user_tables where schemaname = 'public'`;
  return new Map(rows.map(({ table, count }) => [table, Number(count)]));
}

/** Returns the indexes that no statement has read, except those that only keep values unique. */
export async function unusedIndexes(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select s.indexrelname as name from pg_stat_user_indexes s join pg_index i using (indexrelid)
    where s.schemaname = 'public' and s.idx_scan = 0 and not i.indisunique`;
  return rows.map(({ name }) => name);
}
