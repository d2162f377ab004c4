const SHORTEST_MS = 5;
const MS_PER_MESSAGE = 4;

/**
 * Returns how long the next flush waits after the end of the last one, in milliseconds. The more messages the last one
 * stored, the more come meanwhile, and share the cost of one commit.
 */
export function pauseAfterFlush(lastBatchSize: number, longestMs: number): number {
  return Math.min(longestMs, Math.max(SHORTEST_MS, MS_PER_MESSAGE * lastBatchSize));
}
