import path from 'node:path';
import { markdownTable, median, ratioText } from '../measure/figures.ts';
import { MeasuredProgram } from '../measure/program.ts';
import type { BenchOptions } from '../measure/servers.ts';
import type { QueueJob, QueueResult } from './queue-process.ts';
import type { Testbed } from './testbed.ts';

const file = 'bench/src/recorder/queue-process.ts';
const ours = path.resolve(import.meta.dirname, '../../..');
const COUNTS = { queue: 20_000, insert: 2000 };
const SESSIONS = [1, 100];

interface MeasuredQueue {
  readonly name: string;
  readonly program: MeasuredProgram;
  readonly method: QueueJob['method'];
  readonly results: QueueResult[];
}

/** Measures messages per second from the recorder's queue, and with one INSERT per message. */
export async function benchQueue(testbed: Testbed, options: BenchOptions): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const { former } = testbed.servers;
  const program = stack.use(await startQueue(testbed, ours));
  const formerProgram = former && stack.use(await startQueue(testbed, former));
  const rows: string[][] = [];
  for (const count of SESSIONS) {
    const queue: MeasuredQueue = { name: 'queue', program, method: 'queue', results: [] };
    const insert: MeasuredQueue = { name: 'insert', program, method: 'insert', results: [] };
    const before = formerProgram ? [{ ...queue, program: formerProgram, results: [] }] : [];
    await runRounds(testbed, [queue, insert, ...before], count, options);
    const [own, plain] = [ratesOf(queue), ratesOf(insert)];
    rows.push([
      String(count),
      median(own).toFixed(0),
      median(plain).toFixed(0),
      ratioText(own, plain, 1),
      `${median(costsOf(queue)).toFixed(0)} ms`,
      ...before.map((one) => ratioText(own, ratesOf(one))),
      ...before.map((one) => ratioText(costsOf(queue), costsOf(one))),
    ]);
  }
  const head = ['sessions', 'rows per second', 'one INSERT each', 'ratio', 'CPU for 1,000'];
  const ofFormer = former ? ['ratio to the former one', 'ratio of CPU'] : [];
  return markdownTable([...head, ...ofFormer], rows);
}

async function startQueue(testbed: Testbed, checkout: string) {
  const DATABASE_URL = testbed.servers.databaseUrl;
  return await MeasuredProgram.start(path.join(checkout, file), { DATABASE_URL });
}

async function runRounds(
  testbed: Testbed,
  measured: readonly MeasuredQueue[],
  sessionCount: number,
  { rounds, progress, stop }: BenchOptions,
): Promise<void> {
  const sessions = await testbed.openSessions(sessionCount);
  for (let round = 0; round <= rounds; round += 1) {
    const order = round % 2 === 0 ? measured : measured.toReversed();
    const what = `Queue, ${sessionCount} sessions, round ${round} of ${rounds}`;
    await progress.during(what, async (note) => {
      for (const { name, program, method, results } of order) {
        stop.throwIfAborted();
        note(name);
        const job: QueueJob = { method, sessions, count: COUNTS[method] };
        const result = await program.ask<QueueResult>(job);
        // The first round warms up.
        if (round > 0) results.push(result);
      }
    });
  }
}

function ratesOf({ method, results }: MeasuredQueue): number[] {
  return results.map(({ elapsedMs }) => (COUNTS[method] / elapsedMs) * 1000);
}

function costsOf({ method, results }: MeasuredQueue): number[] {
  return results.map(({ cpuMs }) => (cpuMs / COUNTS[method]) * 1000);
}
