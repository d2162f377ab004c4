import { pause } from '@session/kit';

/** So often in the shortest stall that counts, it is looked whether there was one. */
const LOOKS = 10;

/** Watches whether this process stands still: frozen, or with work that takes too long for it to do any other. */
export class StallWatch implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  /** `stalled` is told, in milliseconds since the epoch, from when to when nothing was done for `stallMs` or longer. */
  constructor(stallMs: number, stalled: (from: number, to: number) => void) {
    this.#running = this.#run(stallMs, stalled);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(stallMs: number, stalled: (from: number, to: number) => void): Promise<void> {
    // The time of day, not the process's own: that stands still with a machine that sleeps.
    let last = Date.now();
    while (await pause(stallMs / LOOKS, this.#ending.signal)) {
      const now = Date.now();
      if (now - last >= stallMs) stalled(last, now);
      last = now;
    }
  }
}
