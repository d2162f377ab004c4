export interface Waiting<T> {
  readonly owner: string;
  readonly item: T;
  readonly size: number;
}

/**
 * Takes items from their owners in turn. Above a total size of `maxSize`, drops the oldest item of the owner whose items are
 * the largest in total.
 */
export class FairQueue<T> {
  readonly #maxSize: number;
  readonly #items = new Map<string, Waiting<T>[]>();

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  add(waiting: Waiting<T>): Waiting<T>[] {
    this.#items.set(waiting.owner, [...(this.#items.get(waiting.owner) ?? []), waiting]);
    const dropped: Waiting<T>[] = [];
    while (sizeOf([...this.#items.values()].flat()) > this.#maxSize) {
      const [most] = [...this.#items.values()].toSorted(
        (one, other) => sizeOf(other) - sizeOf(one),
      );
      const oldest = most && this.#removeFirst(most);
      if (!oldest) break;
      dropped.push(oldest);
    }
    return dropped;
  }

  putBack(waiting: Waiting<T>): void {
    const others = [...this.#items].filter(([owner]) => owner !== waiting.owner);
    const own = [waiting, ...(this.#items.get(waiting.owner) ?? [])];
    this.#items.clear();
    for (const [owner, items] of [[waiting.owner, own] as const, ...others]) {
      this.#items.set(owner, items);
    }
  }

  take(): Waiting<T> | undefined {
    const [items] = this.#items.values();
    const next = items && this.#removeFirst(items);
    if (!next) return undefined;
    // Moves the owner behind all others.
    const rest = this.#items.get(next.owner);
    this.#items.delete(next.owner);
    if (rest) this.#items.set(next.owner, rest);
    return next;
  }

  clear(): void {
    this.#items.clear();
  }

  #removeFirst([first, ...rest]: readonly Waiting<T>[]): Waiting<T> | undefined {
    if (!first) return undefined;
    if (rest.length > 0) this.#items.set(first.owner, rest);
    else this.#items.delete(first.owner);
    return first;
  }
}

function sizeOf(items: readonly Waiting<unknown>[]): number {
  return items.reduce((sum, { size }) => sum + size, 0);
}
