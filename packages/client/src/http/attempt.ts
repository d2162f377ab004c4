import { ConnectionError } from './api-error.ts';

/** One attempt of a request. Call `end` when the answer has been read, so that no timer remains. */
export class Attempt {
  readonly #name: string;
  readonly #baseUrl: string;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly signal: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silentMs = 0;

  constructor(name: string, baseUrl: string, caller: AbortSignal | undefined) {
    const { signal } = this.#controller;
    this.#name = name;
    this.#baseUrl = baseUrl;
    this.#caller = caller;
    this.signal = caller ? AbortSignal.any([caller, signal]) : signal;
  }

  expectWithin(ms: number): void {
    this.end();
    this.#timer = setTimeout(() => {
      this.#silentMs = ms;
      this.#controller.abort();
    }, ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  failure(cause?: unknown, missing = 'answer'): unknown {
    if (this.#caller?.aborted) return this.#caller.reason;
    const silent = this.#silentMs && ` for ${this.#silentMs} ms`;
    const fault = `no ${missing} from ${this.#baseUrl}${silent || ', or only a part of it'}`;
    const advice = 'Is that the API, and is this page in its CORS_ORIGINS?';
    return new ConnectionError(`${this.#name}: ${fault}. ${advice}`, { cause });
  }
}
