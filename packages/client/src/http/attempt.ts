import { ConnectionError } from './api-error.ts';

/**
 * One attempt of a request. Its signal aborts when the caller aborts, and when the server is silent for too long. Call `end`
 * when the answer has been read, so that no timer and no listener is left.
 */
export class Attempt {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #abort: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silentMs = 0;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#abort = () => this.#controller.abort();
    caller?.addEventListener('abort', this.#abort);
    if (caller?.aborted) this.#abort();
  }

  /** Aborts when the attempt is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Aborts the attempt if the server stays silent for `ms` milliseconds from now on. */
  expectWithin(ms: number): void {
    this.expectNothing();
    this.#timer = setTimeout(() => {
      this.#silentMs = ms;
      this.#abort();
    }, ms);
  }

  /** Stops the time limit: nothing is being read. */
  expectNothing(): void {
    clearTimeout(this.#timer);
  }

  /** Removes the timer and the listener. */
  end(): void {
    this.expectNothing();
    this.#caller?.removeEventListener('abort', this.#abort);
  }

  /** Returns what to throw when the request fails: the reason of the caller's signal, or a ConnectionError. */
  failure(what: string, cause: unknown): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    if (this.#silentMs > 0) {
      return new ConnectionError(`${what}: the server was silent for ${this.#silentMs} ms`);
    }
    return new ConnectionError(`${what}: no answer, or only a part of one`, { cause });
  }
}
