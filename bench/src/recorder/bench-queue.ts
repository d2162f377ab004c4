import path from 'node:path';
import type { BenchOptions } from '../measure/bench-options.ts';
import { MeasuredProgram } from '../measure/measured-program.ts';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { QueueJob, QueueResult } from './queue-job.ts';
import type { Testbed } from './testbed.ts';

const file = path.join(import.meta.dirname, 'queue-process.ts');
const COUNTS = { queue: 20_000, insert: 2000 };

/** Measures how many messages per second reach the history from the recorder's queue, and with one INSERT per message. */
export async function benchQueue(
  testbed: Testbed,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const rows: string[][] = [];
  for (const count of [1, 100]) {
    const sessions = await testbed.openSessions(count);
    await using program = await MeasuredProgram.start(file, {
      DATABASE_URL: testbed.servers.databaseUrl,
    });
    const measured: Record<QueueJob['method'], QueueResult[]> = { queue: [], insert: [] };
    for (let round = 0; round <= rounds; round += 1) {
      stop.throwIfAborted();
      await progress.during(`Queue, ${count} sessions, round ${round} of ${rounds}`, async () => {
        for (const method of ['queue', 'insert'] as const) {
          const job: QueueJob = { method, sessions, count: COUNTS[method] };
          const result = await program.ask<QueueResult>(job);
          // The first round warms up.
          if (round > 0) measured[method].push(result);
        }
      });
    }
    const rates = (method: QueueJob['method']) =>
      measured[method].map(({ elapsedMs }) => (COUNTS[method] / elapsedMs) * 1000);
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
    ['sessions', 'rows per second', 'one INSERT each', 'ratio', 'CPU for 1,000'],
    rows,
  );
}
