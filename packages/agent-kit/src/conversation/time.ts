import { pause } from '@session/kit';

/** The time that an agent lives in: tests give it one of their own. */
export interface Time {
  /** Returns milliseconds that only increase. */
  readonly now: () => number;
  readonly pause: typeof pause;
}

export const MACHINE_TIME: Time = { now: () => performance.now(), pause };
