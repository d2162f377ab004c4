const SHORTEST_MS = 5;
const MS_PER_MESSAGE = 4;

/**
 * Returns the milliseconds before the next flush. The more messages the last flush stored, the more should share the
 * next commit.
 */
export function pauseAfterFlush(lastBatchSize: number, longestMs: number): number {
  return Math.min(longestMs, Math.max(SHORTEST_MS, MS_PER_MESSAGE * lastBatchSize));
}
