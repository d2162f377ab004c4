import { ModelFailure } from './model-failure.ts';

/**
 * Ends a request when its endpoint is silent for too long. Time counts only while the reader waits for the endpoint: a reader
 * that takes its time is no silence. A comment that keeps the connection alive is silence.
 */
export class SilenceTimer {
  readonly #controller = new AbortController();
  readonly #idleMs: number;
  #remainingMs: number;
  #limit = 'no first token';

  constructor({
    firstTokenMs,
    idleMs,
  }: { readonly firstTokenMs: number; readonly idleMs: number }) {
    this.#remainingMs = firstTokenMs;
    this.#idleMs = idleMs;
  }

  /** Aborts with a ModelFailure when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A token came: from now on the silence between two tokens counts. */
  reset(): void {
    this.#remainingMs = this.#idleMs;
    this.#limit = 'silence between two tokens';
  }

  /** Returns what `work` returns; its duration counts. */
  async wait<T>(work: Promise<T>): Promise<T> {
    const began = performance.now();
    const timer = setTimeout(
      () => {
        this.#controller.abort(new ModelFailure('stalled', `the model stalled: ${this.#limit}`));
      },
      Math.max(0, this.#remainingMs),
    );
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      this.#remainingMs -= performance.now() - began;
    }
  }
}
