import { v7 as uuidv7 } from 'uuid';
import type { BenchOptions } from '../measure/bench-options.ts';
import { median } from '../measure/statistics.ts';
import { inS, markdownTable } from '../measure/table.ts';
import { benchBusyRoom } from './bench-busy-room.ts';
import type { RecorderKind, Testbed } from './testbed.ts';

const ROOMS = 20;
const KINDS = ['ours', 'plain'] as const;

/**
 * Measures how long after a kill -9 all rooms are recorded again, by a process that is started at once; and how long the one
 * busy room of 301 takes.
 */
export async function benchRecovery(testbed: Testbed, options: BenchOptions): Promise<string> {
  return `${await benchAllRooms(testbed, options)}\n\n${await benchBusyRoom(testbed, options)}`;
}

async function benchAllRooms(
  testbed: Testbed,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const times: Record<RecorderKind, number[]> = { ours: [], plain: [] };
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of KINDS) {
      stop.throwIfAborted();
      await progress.during(`Recovery, round ${round} of ${rounds}, ${kind}`, async () => {
        const sessions = await testbed.openSessions(ROOMS);
        const folder = uuidv7();
        const killed = await testbed.startRecorder(kind, sessions, folder);
        const from = performance.now();
        await killed.kill();
        const again = await testbed.startRecorder(kind, sessions, folder);
        times[kind].push(performance.now() - from);
        await again.kill();
      });
    }
  }
  const rows = KINDS.map((kind) => [kind, inS(median(times[kind])), inS(Math.max(...times[kind]))]);
  return markdownTable(['recorder', `${ROOMS} rooms recorded again after`, 'longest'], rows);
}
