import { readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** Returns the CPU time that the processes have used in all; NaN where the system has no `/proc`. Ended processes count nothing. */
export async function cpuMsOf(pids: readonly number[]): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN;
  const times = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // The name of the program is in brackets and may contain spaces: the 14th and 15th fields are the 12th and 13th after it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
    }),
  );
  return times.reduce((sum, ms) => sum + ms, 0);
}
