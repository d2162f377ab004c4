import * as z from 'zod';

const OWN_FILES = 64;
/** A connection takes up to 9 files, and there are up to three while it is renewed. */
const FILES_PER_ROOM = 32;
/** The average at the limit of rooms, where only eight connections are renewed at the same time. */
const FILES_PER_ROOM_AT_MOST = 16;
/**
 * Measured: 159 MB before the recorder is in any room, 0.7 MB for a room, and 0.4 MB more after each new connection.
 */
const OWN_BYTES = 160 * 1024 * 1024;
const BYTES_PER_ROOM = 1024 * 1024;
/** For a machine without a limit. 200 rooms take a third of it. */
const DEFAULT_RSS_BYTES = 1024 * 1024 * 1024;
const MEMORY_SHARE = 0.8;

const Report = z.object({
  userLimits: z.object({
    open_files: z.object({ soft: z.union([z.number(), z.literal('unlimited')]) }),
  }),
});

export function readOpenFilesLimit(): number {
  const report = Report.safeParse(process.report.getReport());
  const soft = report.data?.userLimits.open_files.soft ?? 'unlimited';
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft;
}

function capacityWithin(wanted: number, openFiles: number): number {
  return Math.max(1, Math.min(wanted, Math.floor((openFiles - OWN_FILES) / FILES_PER_ROOM)));
}

export interface RoomLimits {
  readonly capacity: number;
  readonly roomLimit: number;
}

/**
 * Returns the limits for a capacity of `wanted`, which the number of open files may reduce. A recorder exceeds its
 * capacity only while no other recorder has capacity left. Memory bounds only the room limit: above `maxRssBytes` a recorder is
 * restarted.
 */
export function roomLimits(wanted: number, openFiles: number, maxRssBytes: number): RoomLimits {
  const capacity = capacityWithin(wanted, openFiles);
  const byFiles = Math.floor((openFiles - OWN_FILES) / FILES_PER_ROOM_AT_MOST);
  const byMemory = Math.floor((maxRssBytes - OWN_BYTES) / BYTES_PER_ROOM);
  return { capacity, roomLimit: Math.max(capacity, Math.min(byFiles, byMemory)) };
}

/** Returns the memory above which the process is restarted. `constrained`: the container's limit; 0 or huge without one. */
export function defaultMaxRss(constrained: number): number {
  const isLimited = constrained > 0 && constrained < Number.MAX_SAFE_INTEGER;
  return isLimited ? Math.floor(constrained * MEMORY_SHARE) : DEFAULT_RSS_BYTES;
}
