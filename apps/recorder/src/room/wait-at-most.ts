import { pause } from '@session/kit';

/** Waits for `work`, which must not reject, but no longer than `timeoutMs`. */
export async function waitAtMost(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const isDone = new AbortController();
  await Promise.race([work, pause(timeoutMs, isDone.signal)]);
  isDone.abort();
}
