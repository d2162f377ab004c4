import { pause } from '@session/kit';

const LOOK_MS = 2000;

/**
 * Watches how much memory the process takes. The SDK loses some at each join that it never gives back, so one that has
 * joined often enough is better started anew.
 */
export class MemoryWatch implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #exceeded = new AbortController();
  readonly #running: Promise<void>;

  /** `rss` gives what the process takes, in bytes. */
  constructor(maxBytes: number, rss: () => number, lookMs = LOOK_MS) {
    this.#running = this.#run(maxBytes, rss, lookMs);
  }

  /** Aborts, with the bytes as its reason, when the process takes more than it may. */
  get exceeded(): AbortSignal {
    return this.#exceeded.signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(maxBytes: number, rss: () => number, lookMs: number): Promise<void> {
    while (await pause(lookMs, this.#ending.signal)) {
      const bytes = rss();
      if (bytes <= maxBytes) continue;
      this.#exceeded.abort(bytes);
      return;
    }
  }
}
