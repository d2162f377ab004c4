import { pause } from '@session/kit';

export interface Time {
  readonly now: () => number;
  readonly pause: typeof pause;
}

export const MACHINE_TIME: Time = { now: () => performance.now(), pause };
