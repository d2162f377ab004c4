import { isDatabaseAway } from '@session/db';

const PAUSE_MS = 60_000;

/**
 * Remembers for a minute which ids failed in this process, so that an id that keeps failing takes no turns from others.
 * A failure that may be temporary, such as a lock or a lost connection, counts only if it is the second in a row.
 */
export class FailedIds {
  readonly #now: () => number;
  readonly #ends = new Map<string, number>();
  /** Until when the next failure of an id counts as its second in a row. */
  readonly #warnings = new Map<string, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(id: string, error: unknown, mayPass = isDatabaseAway(error)): void {
    const isPassing = mayPass && !this.#warnings.has(id);
    (isPassing ? this.#warnings : this.#ends).set(id, this.#now() + PAUSE_MS);
  }

  /** Must be called whenever the work on an id succeeds, so that its next failure counts as the first. */
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
