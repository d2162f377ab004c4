/**
 * Runs at most `limit` tasks at once, taking the waiting owners in turn: an owner with many tasks delays others by only one.
 */
export class RotatingQueue {
  readonly #limit: number;
  /** Sorted by whose turn is next; no list is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(owner: string, task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    else await this.#wait(owner);
    try {
      return await task();
    } finally {
      this.#startNext();
    }
  }

  async #wait(owner: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = this.#waiting.get(owner);
    if (others) others.push(resolve);
    else this.#waiting.set(owner, [resolve]);
    await promise;
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    const [owner, [start, ...others]] = next;
    this.#waiting.delete(owner);
    if (others.length > 0) this.#waiting.set(owner, others);
    start?.();
  }
}
