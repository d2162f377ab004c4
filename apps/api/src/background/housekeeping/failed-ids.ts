const PAUSE_MS = 60_000;

/** Remembers for a minute what failed in this process, so that what keeps failing takes no turns of others. */
export class FailedIds {
  readonly #now: () => number;
  readonly #ends = new Map<string, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(id: string): void {
    this.#ends.set(id, this.#now() + PAUSE_MS);
  }

  list(): string[] {
    for (const [id, end] of this.#ends) if (end <= this.#now()) this.#ends.delete(id);
    return [...this.#ends.keys()];
  }
}
