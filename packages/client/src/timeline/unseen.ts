import type { Entry } from './entry.ts';

/** The messages that arrived while the reader did not see the end of the list. */
export class Unseen extends Set<Entry> {
  #isAtEnd = true;

  setAtEnd(isAtEnd: boolean): void {
    this.#isAtEnd = isAtEnd;
    if (isAtEnd) this.clear();
  }

  count(entry: Entry, clock: number): void {
    if (this.#isAtEnd || entry.seen <= clock || entry.stored?.role === 'system') return;
    this.add(entry);
  }
}
