import { until } from '../stack.ts';

/** How long a test of the images waits for a condition, because a busy machine may be late. */
export const PATIENCE_MS = 300_000;

/** Returns the first result of `condition` that is neither undefined nor false. */
export async function patiently<T>(condition: () => Promise<T | undefined | false>): Promise<T> {
  return await until(condition, PATIENCE_MS);
}
