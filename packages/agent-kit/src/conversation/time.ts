import { pause } from '@session/kit';

export interface Time {
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
  readonly pause: typeof pause;
}

export const MACHINE_TIME: Time = { now: () => performance.now(), pause };
