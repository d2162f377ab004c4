import { pause } from '@session/kit';
import { inS, markdownTable } from '../measure/figures.ts';
import { cpuMsOf, rssMbOf } from '../measure/processes.ts';
import type { BenchOptions } from '../measure/servers.ts';
import type { RecorderKind, Testbed } from './testbed.ts';

const IDLE_MS = 10_000;
/** A fresh connection still looks for a better route to the server. */
const SETTLE_MS = 10_000;
/** The plain recorder takes more than a minute to join 100 rooms. */
const RUNS: readonly (readonly [RecorderKind, number])[] = [
  ['ours', 1],
  ['ours', 50],
  ['ours', 100],
  ['ours', 200],
  ['plain', 1],
  ['plain', 50],
];

export async function benchRooms(
  testbed: Testbed,
  { progress, stop }: BenchOptions,
): Promise<string> {
  const { mediaPid } = testbed.servers;
  const rows: string[][] = [];
  for (const [kind, count] of RUNS) {
    await progress.during(`Rooms: ${count}, ${kind}`, async () => {
      const sessions = await testbed.openSessions(count);
      const from = performance.now();
      await using recorder = await testbed.startRecorder(kind, sessions);
      const connectMs = performance.now() - from;
      await pause(SETTLE_MS, stop);
      const [before, mediaBefore] = [await recorder.usage(), await cpuMsOf([mediaPid])];
      await pause(IDLE_MS, stop);
      const { cpuMs, rssMb, files } = await recorder.usage();
      const mediaCpuMs = (await cpuMsOf([mediaPid])) - mediaBefore;
      rows.push([
        kind,
        String(count),
        inS(connectMs),
        `${rssMb.toFixed(0)} MB`,
        ofCore(cpuMs - before.cpuMs),
        String(files),
        `${(await rssMbOf(mediaPid)).toFixed(0)} MB`,
        ofCore(mediaCpuMs),
      ]);
    });
    stop.throwIfAborted();
  }
  return markdownTable(
    [
      'recorder',
      'rooms',
      'all recorded after its start',
      'memory',
      'of a core',
      'open files',
      'media server: memory',
      'of a core',
    ],
    rows,
  );
}

function ofCore(cpuMs: number): string {
  return `${((cpuMs / IDLE_MS) * 100).toFixed(1)} %`;
}
