import path from 'node:path';
import { MeasuredProgram } from '../measure/measured-program.ts';
import { median, ratioText } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import { type TraceVariant, traceVariants } from '../measure/trace-variants.ts';
import type { QueueJob, QueueResult } from './queue-job.ts';
import type { RecorderOptions } from './recorder-options.ts';
import type { Testbed } from './testbed.ts';

const file = 'bench/src/recorder/queue-process.ts';
const COUNT = 20_000;

/**
 * Measures how many messages per second reach the history from the recorder's queue without traces, and traced in different
 * ways. With `former`, also from the queue of that commit. Each round measures all, every second round in the opposite order.
 */
export async function benchTracedQueue(
  testbed: Testbed,
  { rounds, progress, stop, former }: RecorderOptions,
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const DATABASE_URL = testbed.servers.databaseUrl;
  const measured: Measured[] = [];
  for (const variant of await traceVariants(former, stack)) {
    const { env, folder } = variant;
    const program = await MeasuredProgram.start(path.join(folder, file), { ...env, DATABASE_URL });
    measured.push({ variant, program: stack.use(program), results: [] });
  }
  const rows: string[][] = [];
  for (const count of [1, 100]) {
    const sessions = await testbed.openSessions(count);
    const job: QueueJob = { method: 'queue', sessions, count: COUNT };
    for (const one of measured) one.results.length = 0;
    for (let round = 0; round <= rounds; round += 1) {
      const order = round % 2 === 0 ? measured : measured.toReversed();
      const what = `Traced queue, ${count} sessions, round ${round} of ${rounds}`;
      await progress.during(what, async (note) => {
        for (const { variant, program, results } of order) {
          stop.throwIfAborted();
          note(variant.name);
          const result = await program.ask<QueueResult>(job);
          // The first round warms up.
          if (round > 0) results.push(result);
        }
      });
    }
    rows.push(...rowsOf(measured).map((row) => [String(count), ...row]));
  }
  const head = ['sessions', 'traces', 'rows per second', 'ratio to off', 'CPU for 1,000'];
  return markdownTable([...head, 'ratio to off'], rows);
}

interface Measured {
  readonly variant: TraceVariant;
  readonly program: MeasuredProgram;
  readonly results: QueueResult[];
}

function rowsOf(measured: readonly Measured[]): string[][] {
  const rates = measured.map(({ results }) =>
    results.map(({ elapsedMs }) => (COUNT / elapsedMs) * 1000),
  );
  const costs = measured.map(({ results }) => results.map(({ cpuMs }) => (cpuMs / COUNT) * 1000));
  return measured.map(({ variant }, index) => [
    variant.name,
    median(rates[index] ?? []).toFixed(0),
    ratioText(rates[index] ?? [], rates[0] ?? []),
    `${median(costs[index] ?? []).toFixed(1)} ms`,
    ratioText(costs[index] ?? [], costs[0] ?? []),
  ]);
}
