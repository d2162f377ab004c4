import { pause, StartError } from '@session/kit';

const POLL_MS = 100;

/** Calls `check` until its result is defined, for up to `waitMs`. Throws a StartError when `stop` aborts. */
export async function poll<T>(
  check: () => Promise<T | undefined> | T | undefined,
  waitMs: number,
  stop: AbortSignal,
): Promise<T | undefined> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await check();
    if (found !== undefined || performance.now() > deadline) return found;
    if (!(await pause(POLL_MS, stop))) throw new StartError('Stopped.');
  }
}
