import { pause } from '@session/kit';

/** How many times the clock is read within the shortest stall that counts. */
const READS_PER_STALL = 10;

/** Notices when this process stood still: because it was frozen, or because one task kept it from any other for too long. */
export class StallWatch implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  /** `stalled` is called with the bounds (milliseconds since the epoch) of each time of `stallMs` or longer without work. */
  constructor(stallMs: number, stalled: (from: number, to: number) => void) {
    this.#running = this.#run(stallMs, stalled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(stallMs: number, stalled: (from: number, to: number) => void): Promise<void> {
    // The time of day, not the process's own clock: that clock stands still while a machine sleeps.
    let last = Date.now();
    while (await pause(stallMs / READS_PER_STALL, this.#ending.signal)) {
      const now = Date.now();
      if (now - last >= stallMs) stalled(last, now);
      last = now;
    }
  }
}
