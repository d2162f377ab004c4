import path from 'node:path';
import type { BenchOptions } from '../measure/bench-options.ts';
import { MeasuredProgram } from '../measure/measured-program.ts';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { MaskJob, MaskResult } from './mask-job.ts';

const file = path.join(import.meta.dirname, 'mask-process.ts');

const JOBS: readonly (readonly [name: string, job: Omit<MaskJob, 'durationMs'>])[] = [
  ['no values, 10,000 lines per second', { template: 'none', linesPerSecond: 10_000 }],
  ['100 keys, 10,000 lines per second', { template: 'keys', linesPerSecond: 10_000 }],
  ['100 keys, as fast as possible', { template: 'keys', linesPerSecond: 0 }],
  ['81,750 short lines, as fast as possible', { template: 'lines', linesPerSecond: 0 }],
];

/** Returns what it costs to mask the values of an environment template in the output of an agent. */
export async function* benchMask({
  rounds,
  roundMs,
  progress,
  stop,
}: BenchOptions): AsyncGenerator<string> {
  const rows: string[][] = [];
  for (const [name, job] of JOBS) {
    // A program for each, so that each mask is the only one in its memory.
    await using program = await MeasuredProgram.start(file, {});
    const results: MaskResult[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      stop.throwIfAborted();
      const ask = () => program.ask<MaskResult>({ ...job, durationMs: roundMs });
      const result = await progress.during(`${name}, round ${round} of ${rounds}`, ask);
      // The first round warms up.
      if (round > 0) results.push(result);
    }
    const of = (figure: (result: MaskResult) => number) => median(results.map(figure));
    const isPaced = job.linesPerSecond > 0;
    rows.push([
      name,
      `${of(({ maskMs, lineCount }) => (maskMs * 1000) / lineCount).toFixed(1)} µs`,
      isPaced ? `${of(({ maskMs }) => (maskMs / roundMs) * 100).toFixed(1)} %` : '',
      `${Math.max(...results.map(({ longestDelayMs }) => longestDelayMs)).toFixed(0)} ms`,
      `${of(({ buildMs }) => buildMs).toFixed(0)} ms`,
      `${of(({ rssMb }) => rssMb).toFixed(0)} MB`,
    ]);
  }
  yield markdownTable(
    ['template, lines', 'one line', 'of a core', 'longest delay', 'made in', 'resident set'],
    rows,
  );
}
