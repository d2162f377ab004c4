import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { LineMask } from '@session/api/line-mask';
import { createMask } from '@session/api/mask';
import type { MaskJob, MaskResult } from './mask-job.ts';

// Masks synthetic lines as the API masks the output of agents, in a process of its own, so that only its cost is measured.

/** As many lines as the API stores at once. */
const BATCH = 200;
const KEYS = 100;
/** 512 KiB of lines of five characters, with their line ends and the names of the variables. */
const SHORT_LINES = 81_750;
const RESOLUTION_MS = 1;

const VALUES = { keys, lines: shortLines, none: () => [] } as const;

process.on('message', (job: MaskJob | 'usage') => {
  if (job !== 'usage') void run(job).then((result) => process.send?.(result));
});
process.send?.('ready');

async function run({ template, linesPerSecond, durationMs }: MaskJob): Promise<MaskResult> {
  const values = VALUES[template]();
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const start = performance.now();
  const mask = new LineMask(await createMask(values));
  const buildMs = performance.now() - start;
  const batch = linesWith(values);
  let [lineCount, maskMs] = [0, 0];
  const begin = performance.now();
  while (performance.now() - begin < durationMs) {
    const before = performance.now();
    mask.push(batch);
    maskMs += performance.now() - before;
    lineCount += BATCH;
    const dueMs = linesPerSecond === 0 ? 0 : (lineCount / linesPerSecond) * 1000;
    await sleep(Math.max(0, dueMs - (performance.now() - begin)));
  }
  delays.disable();
  const longestDelayMs = delays.max / 1e6 - RESOLUTION_MS;
  return { buildMs, lineCount, maskMs, longestDelayMs, rssMb: process.memoryUsage.rss() / 1e6 };
}

function keys(): string[] {
  return Array.from({ length: KEYS }, (_, index) => `sk-${index}-${'k3Yx'.repeat(10)}-${index}`);
}

/** Values of 100 variables that together have `SHORT_LINES` different lines, each long enough to be masked. */
function shortLines(): string[] {
  const lines = Array.from({ length: SHORT_LINES }, (_, index) => (index + 600_000).toString(36));
  const perValue = Math.ceil(SHORT_LINES / KEYS);
  return Array.from({ length: KEYS }, (_, index) =>
    lines.slice(index * perValue, (index + 1) * perValue).join('\n'),
  );
}

/** Returns lines of 100 characters like those of an agent; every tenth contains a value, or a line of one. */
function linesWith(values: readonly string[]) {
  return Array.from({ length: BATCH }, (_, index) => {
    const secret = index % 10 === 0 ? (values[index % values.length]?.split('\n')[0] ?? '') : '';
    const text = `2026-11-22T10:00:00.${index} info the model answered in ${index} ms ${secret} `;
    return {
      at: index,
      line: text.padEnd(100, 'with some more words about its request ').slice(0, 100),
    };
  });
}
