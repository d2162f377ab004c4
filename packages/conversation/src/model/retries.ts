import { FAILURES, type FailureKind, type ModelFailure } from './model-failure.ts';

const BUSY_LIMIT_MS = 30_000;

export class Retries {
  readonly #began = performance.now();
  readonly #failures = new Map<FailureKind, number>();

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
