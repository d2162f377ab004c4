import { pause } from '@session/kit';

const CHECK_MS = 2000;

/** The SDK leaks some memory at each join, so a process that has joined many rooms should be restarted. */
export class MemoryWatch implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #exceeded = new AbortController();
  readonly #running: Promise<void>;

  constructor(maxBytes: number, rss: () => number) {
    this.#running = this.#run(maxBytes, rss);
  }

  get exceeded(): AbortSignal {
    return this.#exceeded.signal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(maxBytes: number, rss: () => number): Promise<void> {
    while (await pause(CHECK_MS, this.#ending.signal)) {
      const bytes = rss();
      if (bytes <= maxBytes) continue;
      this.#exceeded.abort(bytes);
      return;
    }
  }
}
