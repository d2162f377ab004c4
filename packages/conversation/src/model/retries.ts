import { FAILURES, type FailureKind, type ModelFailure } from './model-failure.ts';

/** All waiting for a busy model together. */
const BUSY_LIMIT_MS = 30_000;

/** The retries of one request, counted for each kind of failure. Pauses follow the table `FAILURES`. */
export class Retries {
  readonly #began = performance.now();
  readonly #failures = new Map<FailureKind, number>();

  /**
   * Returns the pause before the next attempt, in milliseconds, and whether this is the first time that the model is busy.
   * Throws `failure` when no attempt is left.
   */
  next(failure: ModelFailure): { readonly delayMs: number; readonly isNewlyBusy: boolean } {
    const { kind, retryAfterMs } = failure;
    const standardMs = FAILURES[kind].delaysMs[this.#failures.get(kind) ?? 0];
    if (standardMs === undefined) throw failure;
    const delayMs = retryAfterMs ?? standardMs;
    const isBusy = kind === 'busy';
    if (isBusy && performance.now() - this.#began + delayMs > BUSY_LIMIT_MS) throw failure;
    const isNewlyBusy = isBusy && !this.#failures.has(kind);
    this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + 1);
    return { delayMs, isNewlyBusy };
  }
}
