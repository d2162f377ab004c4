/**
 * Runs at most `limit` tasks at once, and `limitPerOwner` of one owner, taking the waiting owners in turn. So an owner
 * with many tasks delays the others by only one task. An owner's parts share the owner's turns in the same way.
 */
export class RotatingQueue {
  readonly #limit: number;
  readonly #limitPerOwner: number;
  /** By owner and part, sorted by whose turn is next; no map and no list is empty. */
  readonly #waiting = new Map<string, Map<string, (() => void)[]>>();
  readonly #running = new Map<string, number>();
  #runningInAll = 0;

  constructor(limit: number, limitPerOwner = limit) {
    this.#limit = limit;
    this.#limitPerOwner = limitPerOwner;
  }

  async run<T>(owner: string, task: () => Promise<T>, part = ''): Promise<T> {
    if (this.#hasRoom(owner)) this.#count(owner, 1);
    else await this.#wait(owner, part);
    try {
      return await task();
    } finally {
      this.#count(owner, -1);
      this.#startNext();
    }
  }

  #hasRoom(owner: string): boolean {
    const ofOwner = this.#running.get(owner) ?? 0;
    return this.#runningInAll < this.#limit && ofOwner < this.#limitPerOwner;
  }

  #count(owner: string, change: 1 | -1): void {
    const ofOwner = (this.#running.get(owner) ?? 0) + change;
    if (ofOwner > 0) this.#running.set(owner, ofOwner);
    else this.#running.delete(owner);
    this.#runningInAll += change;
  }

  async #wait(owner: string, part: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const parts = this.#waiting.get(owner) ?? new Map<string, (() => void)[]>();
    const tasks = parts.get(part) ?? [];
    tasks.push(resolve);
    this.#waiting.set(owner, parts.set(part, tasks));
    await promise;
  }

  #startNext(): void {
    for (const [owner, parts] of this.#waiting) {
      if (!this.#hasRoom(owner)) continue;
      const start = takeNext(parts);
      this.#waiting.delete(owner);
      if (parts.size > 0) this.#waiting.set(owner, parts);
      this.#count(owner, 1);
      start?.();
      return;
    }
  }
}

function takeNext<Task>(parts: Map<string, Task[]>): Task | undefined {
  for (const [part, tasks] of parts) {
    const task = tasks.shift();
    parts.delete(part);
    if (tasks.length > 0) parts.set(part, tasks);
    return task;
  }
  return undefined;
}
