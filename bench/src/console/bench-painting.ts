import { launchChromium } from '@session/testing/browser';
import { Stopwatch } from '../measure/stopwatch.ts';
import type { ConsoleTestbed } from './console-testbed.ts';

/** Measures the first page of a visitor whose browser was just started, with an empty profile. */
export async function benchPainting(
  { demoUrl, stop }: ConsoleTestbed,
  rounds: number,
  note: (text: string) => void,
): Promise<string[][]> {
  const times = new Stopwatch();
  for (let round = 1; round <= rounds; round += 1) {
    note(`${round} of ${rounds}`);
    stop.throwIfAborted();
    await using chromium = await launchChromium();
    const page = await chromium.browser.newPage();
    const from = performance.now();
    await page.goto(demoUrl, { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Try it now' }).waitFor();
    const shownMs = performance.now() - from;
    // This function runs in the page.
    const [paint] = await page.evaluate(() =>
      performance.getEntriesByName('first-contentful-paint').map(({ startTime }) => startTime),
    );
    times.add('address, cold browser → first paint', paint ?? Number.NaN);
    times.add('address, cold browser → *Try it now*', shownMs);
  }
  return times.rows();
}
