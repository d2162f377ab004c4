import type { Page } from '@session/testing/browser';
import { median, percentile } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { ConsoleTestbed } from './console-testbed.ts';

const COUNT = 100_000;
const DURATION_MS = 5000;
/** Six thousand pixels a second at 60 frames: some 100 messages. */
const STEP_PX = 100;

/** The part of a page's list that is used here: this project has no types of the DOM. */
interface ScrolledList {
  scrollTop: number;
  readonly scrollHeight: number;
}
declare function requestAnimationFrame(callback: (at: number) => void): number;

interface Scrolled {
  /** The milliseconds of each frame. */
  readonly frames: readonly number[];
  readonly distancePx: number;
}

/** Measures the frames while a session of 100,000 messages is scrolled through, from its end upwards and back. */
export async function benchScrolling(
  testbed: ConsoleTestbed,
  rounds: number,
  note: (text: string) => void,
): Promise<string> {
  const { token } = await testbed.user();
  const id = await testbed.createSession('A long conversation', COUNT);
  await using context = await testbed.openContext(token);
  const page = await context.newPage();
  await page.goto(`/sessions/${id}`);
  await page.getByText('Bench joined').first().waitFor();
  const up: Scrolled[] = [];
  const down: Scrolled[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    note(`${round} of ${rounds}`);
    up.push(await scroll(page, -STEP_PX));
    down.push(await scroll(page, STEP_PX));
    testbed.stop.throwIfAborted();
  }
  return markdownTable(
    ['100,000 messages', 'frames a second', 'frame, p95', 'frame, longest', 'pixels a second'],
    [rowOf('upwards, reading pages', up), rowOf('back down', down)],
  );
}

async function scroll(page: Page, stepPx: number): Promise<Scrolled> {
  const list = page.getByRole('region', { name: 'Conversation' });
  const task = { stepPx, durationMs: DURATION_MS };
  return await list.evaluate(scrollList, task);
}

/** Runs in the page: scrolls in each frame, and returns the milliseconds of the frames. */
async function scrollList(
  list: ScrolledList,
  { stepPx, durationMs }: { readonly stepPx: number; readonly durationMs: number },
): Promise<Scrolled> {
  return await new Promise((resolve) => {
    const frames: number[] = [];
    let beganAt: number | undefined;
    let lastAt = 0;
    let distancePx = 0;
    const frame = (at: number) => {
      if (beganAt !== undefined) frames.push(at - lastAt);
      beganAt ??= at;
      lastAt = at;
      if (at - beganAt >= durationMs) return resolve({ frames, distancePx });
      const before = list.scrollTop;
      list.scrollTop = before + stepPx;
      distancePx += Math.abs(list.scrollTop - before);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

function rowOf(name: string, rounds: readonly Scrolled[]): string[] {
  const frames = rounds.flatMap((round) => round.frames);
  const perSecond = (figure: (round: Scrolled) => number) =>
    median(rounds.map((round) => figure(round) / (sum(round.frames) / 1000)));
  return [
    name,
    perSecond((round) => round.frames.length).toFixed(1),
    `${percentile(frames, 0.95).toFixed(1)} ms`,
    `${Math.max(...frames).toFixed(0)} ms`,
    perSecond((round) => round.distancePx).toFixed(0),
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
