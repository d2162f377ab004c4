import path from 'node:path';
import { providePages } from '@session/local';
import type { BenchOptions } from '../measure/bench-options.ts';
import { machineText } from '../measure/machine.ts';
import { TIMES_HEAD } from '../measure/stopwatch.ts';
import { markdownTable } from '../measure/table.ts';
import { benchAnswer } from './bench-answer.ts';
import { benchOpening } from './bench-opening.ts';
import { benchPainting } from './bench-painting.ts';
import { benchReconnecting } from './bench-reconnecting.ts';
import { benchScrolling } from './bench-scrolling.ts';
import { benchStarts } from './bench-starts.ts';
import { chunkSizes } from './chunk-sizes.ts';
import { ConsoleTestbed } from './console-testbed.ts';

/** Those whose results are rows of one table of times. */
const TIMED = {
  painting: benchPainting,
  answer: benchAnswer,
  opening: benchOpening,
  reconnecting: benchReconnecting,
} as const;

export const CONSOLE_PARTS = [
  'sizes',
  'starts',
  'painting',
  'answer',
  'opening',
  'reconnecting',
  'scrolling',
] as const;
export type ConsolePart = (typeof CONSOLE_PARTS)[number];

/** Measures `parts` of the console in a real Chromium on a stack of its own, and yields each result as Markdown. */
export async function* benchConsole(
  folder: string,
  parts: readonly ConsolePart[],
  { rounds, progress, stop }: BenchOptions,
): AsyncGenerator<string> {
  yield `${machineText()}.\n`;
  if (parts.includes('sizes')) {
    yield `## sizes\n\n${await chunkSizes(await providePages({ stop, progress }))}\n`;
  }
  if (parts.includes('starts')) {
    const own = path.join(folder, 'console-starts');
    const table = await progress.during('Measuring starts', (note) =>
      benchStarts(own, { rounds, stop }, note),
    );
    yield `## starts\n\n${table}\n`;
  }
  const others = parts.filter((part) => part !== 'sizes' && part !== 'starts');
  if (others.length === 0) return;
  const start = () => ConsoleTestbed.start(folder, stop);
  await using testbed = await progress.during('Starting a stack and Chromium', start);
  yield `Chromium ${testbed.browserVersion}.\n`;
  for (const part of others) {
    const table = await progress.during(`Measuring ${part}`, async (note) =>
      part === 'scrolling'
        ? await benchScrolling(testbed, rounds, note)
        : markdownTable(TIMES_HEAD, await TIMED[part](testbed, rounds, note)),
    );
    yield `## ${part}\n\n${table}\n`;
  }
}
