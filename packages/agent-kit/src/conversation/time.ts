import { pause } from '@session/kit';

/** The clock and the pauses of a conversation. Tests pass their own. */
export interface Time {
  /** Returns milliseconds that only increase. */
  readonly now: () => number;
  readonly pause: typeof pause;
}

export const MACHINE_TIME: Time = { now: () => performance.now(), pause };
