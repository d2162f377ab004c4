import { withDeadline } from '@session/kit';

/**
 * How long a process that shuts down may wait for a silent database, for all its last writes together. The next leader does the
 * rest. Only this waiting counts, so the budget is the same however long agents take to end.
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
