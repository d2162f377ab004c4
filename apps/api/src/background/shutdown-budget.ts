import { withDeadline } from '@session/kit';

/**
 * What a process that ends may wait for a database that is silent, all that it still has to write together: the next one
 * to lead does the rest. Only the waiting counts, so that it is the same however long agents take to end.
 */
export class ShutdownBudget {
  #leftMs: number;

  constructor(totalMs: number) {
    this.#leftMs = totalMs;
  }

  /** Gives what `work` gives, or throws `unavailable` when nothing is left to wait for it. */
  async spend<T>(work: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await withDeadline(work, this.#leftMs);
    } finally {
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - began));
    }
  }
}
