import { v7 as uuidv7 } from 'uuid';
import type { BenchOptions } from '../http/bench-options.ts';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { Ground, Kind } from './ground.ts';

const ROOMS = 20;
const KINDS = ['ours', 'plain'] as const;

/** Measures how long after a kill -9 all rooms are heard again, by a process that is started at once. */
export async function benchRecovery(
  ground: Ground,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const times: Record<Kind, number[]> = { ours: [], plain: [] };
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of KINDS) {
      stop.throwIfAborted();
      await progress.during(`Recovery, round ${round} of ${rounds}, ${kind}`, async () => {
        const sessions = await ground.openSessions(ROOMS);
        const folder = uuidv7();
        const killed = await ground.startRecorder(kind, sessions, folder);
        const from = performance.now();
        await killed.kill();
        const again = await ground.startRecorder(kind, sessions, folder);
        times[kind].push(performance.now() - from);
        await again.kill();
      });
    }
  }
  const rows = KINDS.map((kind) => [kind, inS(median(times[kind])), inS(Math.max(...times[kind]))]);
  return markdownTable(['recorder', `${ROOMS} rooms heard again after`, 'longest'], rows);
}

function inS(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
