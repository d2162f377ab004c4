import { pause } from '@session/kit';

export async function waitAtMost(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const isDone = new AbortController();
  await Promise.race([work, pause(timeoutMs, isDone.signal)]);
  isDone.abort();
}
