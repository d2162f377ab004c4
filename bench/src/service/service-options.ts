import type { Progress } from '@session/local';

export interface ServiceLoad {
  readonly rooms: number;
  readonly agents: number;
  readonly rate: number;
  readonly loginsPerMinute: number;
  readonly durationMs: number;
}

/** The most rooms: more would need more than the nine recorders of a local stack. */
export const MOST_ROOMS = 1600;
const ROOMS_PER_RECORDER = 200;

/** Returns how many recorders `rooms` need, and one more, as a deployment has that survives the loss of one. */
export function recordersFor(rooms: number): number {
  return Math.ceil(rooms / ROOMS_PER_RECORDER) + 1;
}

export interface ServiceOptions extends ServiceLoad {
  readonly folder: string;
  readonly sampleMs: number;
  readonly progress: Progress;
  /** Ends the measurement early. What was measured so far is returned. */
  readonly stop: AbortSignal;
  readonly forceStop: AbortSignal;
}
