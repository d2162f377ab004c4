import { isDatabaseAway } from '@session/db';

const PAUSE_MS = 60_000;

/**
 * Remembers for a minute what failed in this process, so that what keeps failing takes no turns of others. A failure that may
 * pass by itself, such as a lock or a lost connection, counts only where it is the second one in a row.
 */
export class FailedIds {
  readonly #now: () => number;
  /** Until when each id is left out. */
  readonly #ends = new Map<string, number>();
  /** Until when the next failure of an id counts as its second one. */
  readonly #warnings = new Map<string, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(id: string, error: unknown, mayPass = isDatabaseAway(error)): void {
    const isPassing = mayPass && !this.#warnings.has(id);
    (isPassing ? this.#warnings : this.#ends).set(id, this.#now() + PAUSE_MS);
  }

  /** Must be called for what may fail again after it has succeeded. */
  succeeded(id: string): void {
    this.#warnings.delete(id);
  }

  list(): string[] {
    for (const ids of [this.#ends, this.#warnings]) {
      for (const [id, end] of ids) if (end <= this.#now()) ids.delete(id);
    }
    return [...this.#ends.keys()];
  }
}
