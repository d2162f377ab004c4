import type { Entry } from './entry.ts';

export function timestampOf({ stored }: Entry): string {
  if (!stored) throw new Error('the entry is not stored');
  return stored.timestamp;
}

/** A part of the history without gaps, sorted by time. Rows may be missing only at its end. Timestamps are unique. */
export class RowWindow {
  readonly #entries: Entry[] = [];
  hasOlder = false;

  constructor(entries: readonly Entry[] = [], hasOlder = false) {
    this.prepend(entries, hasOlder);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get oldest(): Entry | undefined {
    return this.#entries[0];
  }

  get newest(): Entry | undefined {
    return this.#entries.at(-1);
  }

  isBelow(timestamp: string): boolean {
    return this.hasOlder && this.oldest !== undefined && timestamp < timestampOf(this.oldest);
  }

  insert(entry: Entry): void {
    const index = this.#indexOf(timestampOf(entry));
    if (this.#entries[index] !== entry) this.#entries.splice(index, 0, entry);
  }

  prepend(entries: readonly Entry[], hasOlder: boolean): void {
    for (const entry of entries) this.insert(entry);
    this.hasOlder = hasOlder;
  }

  trim(count: number): Entry[] {
    const removed = this.#entries.splice(0, this.#entries.length - Math.max(count, 1));
    if (removed.length > 0) this.hasOlder = true;
    return removed;
  }

  overlaps(other: RowWindow): boolean {
    const [a, b, c, d] = [this.oldest, this.newest, other.oldest, other.newest];
    if (!a || !b || !c || !d) return false;
    return timestampOf(a) <= timestampOf(d) && timestampOf(c) <= timestampOf(b);
  }

  merge(other: RowWindow): void {
    const { oldest } = other;
    const isOlder = oldest && (!this.oldest || timestampOf(oldest) < timestampOf(this.oldest));
    this.prepend(other.entries, isOlder ? other.hasOlder : this.hasOlder);
  }

  has(entry: Entry): boolean {
    return this.#entries[this.#indexOf(timestampOf(entry))] === entry;
  }

  #indexOf(timestamp: string): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const entry = this.#entries[middle];
      if (entry && timestampOf(entry) < timestamp) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
