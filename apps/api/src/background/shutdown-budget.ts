import { withDeadline } from '@session/kit';

/** How long one call of a chore may work. Shorter than the leader's shutdown budget, which other work shares. */
export const WORK_MS = 2500;

/**
 * How long an ending process waits for a silent database, for all its last writes together. The next leader does the
 * rest.
 */
export class ShutdownBudget {
  #remainingMs: number;

  constructor(totalMs: number) {
    this.#remainingMs = totalMs;
  }

  async spend<T>(work: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await withDeadline(work, this.#remainingMs);
    } finally {
      this.#remainingMs = Math.max(0, this.#remainingMs - (performance.now() - began));
    }
  }
}
