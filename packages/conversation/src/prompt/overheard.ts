import { type HistoryEntry, messagesOf } from './history-entry.ts';

/** Texts said to others since the last turn began. Beyond a size, the oldest are dropped. */
export class Overheard {
  readonly #maxBytes: () => number;
  #entries: HistoryEntry[] = [];
  #sizeBytes = 0;

  constructor(maxBytes: () => number) {
    this.#maxBytes = maxBytes;
  }

  add(entry: HistoryEntry): void {
    this.#entries.push(entry);
    this.#sizeBytes += sizeOf(entry);
    while (this.#sizeBytes > this.#maxBytes() && this.#entries.length > 1) {
      const [oldest] = this.#entries.splice(0, 1);
      this.#sizeBytes -= oldest ? sizeOf(oldest) : 0;
    }
  }

  takeAll(): readonly HistoryEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    this.#sizeBytes = 0;
    return entries;
  }
}

function sizeOf(entry: HistoryEntry): number {
  return Buffer.byteLength(JSON.stringify(messagesOf(entry, true)));
}
