/**
 * Runs at most `limit` tasks at the same time. Networks whose tasks wait are served in rotation, so a network with
 * many tasks delays another network by one task.
 */
export class NetworkQueue {
  readonly #limit: number;
  /** In the order in which the networks get their next turn; no list is empty. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns what `task` returns. */
  async run<T>(network: string, task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    else await this.#wait(network);
    try {
      return await task();
    } finally {
      this.#startNext();
    }
  }

  async #wait(network: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = this.#waiting.get(network);
    if (others) others.push(resolve);
    else this.#waiting.set(network, [resolve]);
    await promise;
  }

  /** Passes the place of a task that ended to the next one. */
  #startNext(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    const [network, [start, ...others]] = next;
    this.#waiting.delete(network);
    if (others.length > 0) this.#waiting.set(network, others);
    start?.();
  }
}
