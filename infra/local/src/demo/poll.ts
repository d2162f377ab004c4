import { pause, StartError } from '@session/kit';

const EVERY_MS = 100;

/**
 * Asks `check` again and again, and gives the first thing that it gives, or undefined when there is none within `waitMs`.
 * Throws what `check` throws, and a StartError when `stop` aborts.
 */
export async function poll<T>(
  check: () => Promise<T | undefined> | T | undefined,
  waitMs: number,
  stop: AbortSignal,
): Promise<T | undefined> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await check();
    if (found !== undefined || performance.now() > deadline) return found;
    if (!(await pause(EVERY_MS, stop))) throw new StartError('Stopped.');
  }
}
