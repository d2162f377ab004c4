import path from 'node:path';
import type { BenchOptions } from '../http/bench-options.ts';
import { Program } from '../measure/program.ts';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { Ground } from './ground.ts';
import type { QueueJob, QueueResult } from './queue-job.ts';

const file = path.join(import.meta.dirname, 'queue-process.ts');
const COUNTS = { queue: 20_000, insert: 2000 };

/** Measures how many messages a second get from the recorder's queue into the history, beside one INSERT a message. */
export async function benchQueue(
  ground: Ground,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const rows: string[][] = [];
  for (const count of [1, 100]) {
    const sessions = await ground.openSessions(count);
    await using program = await Program.start(file, { DATABASE_URL: ground.parts.databaseUrl });
    const measured: Record<QueueJob['way'], QueueResult[]> = { queue: [], insert: [] };
    for (let round = 0; round <= rounds; round += 1) {
      stop.throwIfAborted();
      await progress.during(`Queue, ${count} sessions, round ${round} of ${rounds}`, async () => {
        for (const way of ['queue', 'insert'] as const) {
          const job: QueueJob = { way, sessions, count: COUNTS[way] };
          const result = await program.ask<QueueResult>(job);
          // The first round warms up.
          if (round > 0) measured[way].push(result);
        }
      });
    }
    const rates = (way: QueueJob['way']) =>
      measured[way].map(({ elapsedMs }) => (COUNTS[way] / elapsedMs) * 1000);
    const [queue, insert] = [rates('queue'), rates('insert')];
    const ratios = queue.map((rate, index) => rate / (insert[index] ?? Number.NaN));
    const cpu = measured.queue.map(({ cpuMs }) => (cpuMs / COUNTS.queue) * 1000);
    rows.push([
      String(count),
      median(queue).toFixed(0),
      median(insert).toFixed(0),
      `${median(ratios).toFixed(1)} (${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)})`,
      `${median(cpu).toFixed(0)} ms`,
    ]);
  }
  return markdownTable(
    ['sessions', 'rows a second', 'one INSERT each', 'ratio', 'CPU for 1,000'],
    rows,
  );
}
