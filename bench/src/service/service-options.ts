import type { Progress } from '@session/local';

/** What is measured. */
export interface ServiceLoad {
  /** Rooms, with one person and one reader each. */
  readonly rooms: number;
  /** In how many of the rooms an echo agent answers. */
  readonly agents: number;
  /** Messages per second, in all rooms together. */
  readonly rate: number;
  readonly loginsPerMinute: number;
  readonly durationMs: number;
}

/** The most rooms: more recorders than nine are more than a local stack has. */
export const MOST_ROOMS = 1600;
const ROOMS_PER_RECORDER = 200;

/** Returns how many recorders `rooms` need: one more than enough, as a deployment that survives the loss of one. */
export function recordersFor(rooms: number): number {
  return Math.ceil(rooms / ROOMS_PER_RECORDER) + 1;
}

export interface ServiceOptions extends ServiceLoad {
  /** The stack keeps its files here. */
  readonly folder: string;
  /** The time between two looks at the processes and the people. */
  readonly sampleMs: number;
  readonly progress: Progress;
  /** Ends the measurement early. What was measured so far is returned. */
  readonly stop: AbortSignal;
  /** Ends everything at once. */
  readonly forceStop: AbortSignal;
}
