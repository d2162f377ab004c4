import { ModelFailure } from './model-failure.ts';

/**
 * Aborts a request when its endpoint is silent for too long. Time counts only while the reader waits for the endpoint.
 * Comments that keep the connection alive count as silence.
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

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Call this at each token. From then on, the limit is the one between two tokens. */
  reset(): void {
    this.#remainingMs = this.#idleMs;
    this.#limit = 'silence between two tokens';
  }

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
