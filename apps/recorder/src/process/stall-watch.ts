import { pause } from '@session/kit';
import type { RecorderClock } from './recorder-clock.ts';

type WatchedClock = Pick<RecorderClock, 'elapsed' | 'now' | 'takePauses'>;

const READS_PER_STALL = 10;

/**
 * Notices when this process stood still for `stallMs`: frozen, asleep, busy, or paused with its machine. A step of the time
 * of day is not a stall.
 */
export class StallWatch implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor(clock: WatchedClock, stallMs: number, stalled: (from: number, to: number) => void) {
    this.#running = this.#run(clock, stallMs, stalled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(
    clock: WatchedClock,
    stallMs: number,
    stalled: (from: number, to: number) => void,
  ): Promise<void> {
    let last = clock.elapsed();
    while (await pause(stallMs / READS_PER_STALL, this.#ending.signal)) {
      const elapsed = clock.elapsed();
      const now = clock.now();
      // Counted back from now, because the clock may have been corrected since it was last read.
      if (elapsed - last >= stallMs) stalled(Math.floor(now - (elapsed - last)), now);
      last = elapsed;
      for (const { from, to } of clock.takePauses(stallMs)) stalled(from, to);
    }
  }
}
