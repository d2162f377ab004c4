/** Aborts its signal with `reason` after `limitMs`, not counting the time between `pause` and `resume`. */
export class TurnTimer implements Disposable {
  readonly #timeout = new AbortController();
  readonly #limitMs: number;
  readonly #reason: Error;
  #remainingMs: number;
  #resumedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, reason: Error) {
    this.#limitMs = limitMs;
    this.#remainingMs = limitMs;
    this.#reason = reason;
    this.resume();
  }

  get signal(): AbortSignal {
    return this.#timeout.signal;
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#remainingMs -= performance.now() - this.#resumedAt;
  }

  resume(): void {
    if (this.#timer !== undefined) return;
    this.#resumedAt = performance.now();
    const abort = () => this.#timeout.abort(this.#reason);
    this.#timer = setTimeout(abort, Math.max(0, this.#remainingMs));
  }

  restart(): void {
    this.pause();
    this.#remainingMs = this.#limitMs;
    this.resume();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
