import type { Sql } from 'postgres';
import { cpuMsOf } from '../measure/processes.ts';

/** Returns the CPU time of all connections to this database that are open now, in milliseconds since each one began. */
export async function databaseCpuMs(sql: Sql): Promise<number> {
  const rows = await sql`select pid from pg_stat_activity where datname = current_database()`;
  return await cpuMsOf(rows.map(({ pid }) => Number(pid)));
}
