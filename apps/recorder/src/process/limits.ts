import * as z from 'zod';

/** How many files the process has open before it is in any room. */
const OWN_FILES = 64;
/** How many files a room may need: a connection takes up to 9, and while it is renewed there are up to three. */
const FILES_PER_ROOM = 32;
/** How many files a room needs on average at the limit of rooms: only eight connections are renewed at the same time. */
const FILES_PER_ROOM_AT_MOST = 16;
/** The memory of the process before it is in any room; measured: 159 MB. */
const OWN_BYTES = 160 * 1024 * 1024;
/** The memory of a room; measured: 0.7 MB, and 0.4 MB more after each new connection. */
const BYTES_PER_ROOM = 1024 * 1024;
/** The memory limit on a machine without one. 200 rooms take a third of it. */
const DEFAULT_RSS_BYTES = 1024 * 1024 * 1024;
/** The share of the machine's limit that the process may take; the rest is for moments of high load. */
const MEMORY_SHARE = 0.8;

const Report = z.object({
  userLimits: z.object({
    open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }),
  }),
});

/** Returns how many files this process may have open (`ulimit -n`); Infinity when no limit is known. */
export function readOpenFilesLimit(): number {
  const report = Report.safeParse(process.report.getReport());
  const soft = report.data?.userLimits.open_files.soft ?? 'unlimited';
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft;
}

/** Returns the number of sessions, at most `wanted` and at least one, for which `openFiles` files are enough. */
function capacityWithin(wanted: number, openFiles: number): number {
  return Math.max(1, Math.min(wanted, Math.floor((openFiles - OWN_FILES) / FILES_PER_ROOM)));
}

/** How many sessions a recorder records. */
export interface RoomLimits {
  /** It claims more only while no other recorder has room. */
  readonly capacity: number;
  /** It never claims more. */
  readonly roomLimit: number;
}

/**
 * Returns the limits of a recorder that should have a capacity of `wanted`. Open files may allow less than that. Memory
 * limits only what exceeds the capacity: a recorder above `maxRssBytes` hands its sessions over and is started again.
 */
export function roomLimits(wanted: number, openFiles: number, maxRssBytes: number): RoomLimits {
  const capacity = capacityWithin(wanted, openFiles);
  const byFiles = Math.floor((openFiles - OWN_FILES) / FILES_PER_ROOM_AT_MOST);
  const byMemory = Math.floor((maxRssBytes - OWN_BYTES) / BYTES_PER_ROOM);
  return { capacity, roomLimit: Math.max(capacity, Math.min(byFiles, byMemory)) };
}

/**
 * Returns how much memory the process may take before it is better restarted. `constrained` is what the container may use,
 * in bytes. Without a limit it is 0, or more than any machine has.
 */
export function defaultMaxRss(constrained: number): number {
  const isLimited = constrained > 0 && constrained < Number.MAX_SAFE_INTEGER;
  return isLimited ? Math.floor(constrained * MEMORY_SHARE) : DEFAULT_RSS_BYTES;
}
