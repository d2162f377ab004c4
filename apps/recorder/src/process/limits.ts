import * as z from 'zod';

/** Files that the process has open before it is in any room. */
const OWN_FILES = 64;
/** Files that a room may need: a connection takes up to 9, and while it is renewed there are up to three. */
const FILES_OF_ROOM = 32;
/** Without a limit of the machine's. 200 rooms take a third of it. */
const DEFAULT_RSS_BYTES = 1024 * 1024 * 1024;
/** What the machine's limit leaves for a moment in which all is busy. */
const SHARE = 0.8;

const Report = z.object({
  userLimits: z.object({
    open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }),
  }),
});

/** Gives how many files this process may have open, `ulimit -n`; Infinity when nothing is known of a limit. */
export function readOpenFilesLimit(): number {
  const report = Report.safeParse(process.report.getReport());
  const soft = report.data?.userLimits.open_files.soft ?? 'unlimited';
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft;
}

/** Gives the number of sessions, at most `wanted` and at least one, for which so many open files are enough. */
export function capacityWithin(wanted: number, openFiles: number): number {
  return Math.max(1, Math.min(wanted, Math.floor((openFiles - OWN_FILES) / FILES_OF_ROOM)));
}

/**
 * Gives how much memory the process may take before it is better to start anew. `constrained` is what the container may
 * use, in bytes: 0, or more than any machine has, when it is not limited.
 */
export function defaultMaxRss(constrained: number): number {
  const isLimited = constrained > 0 && constrained < Number.MAX_SAFE_INTEGER;
  return isLimited ? Math.floor(constrained * SHARE) : DEFAULT_RSS_BYTES;
}
