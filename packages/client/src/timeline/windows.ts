import type { Message } from '../shapes.ts';
import type { HistoryPage, OlderAsk, PageAsk } from './asks.ts';
import type { Entry, LearnedRow } from './entry.ts';
import type { Ledger } from './ledger.ts';
import { RowWindow, timestampOf } from './row-window.ts';
import type { Unseen } from './unseen.ts';

/** The live window, which ends with the newest row, and perhaps a detached one, until they meet. */
export class Windows {
  readonly #ledger: Ledger;
  readonly #unseen: Unseen;
  #live = new RowWindow();
  #detached: RowWindow | undefined;
  /** Counts up when held rows are forgotten. A page requested before that could bring back an old version of such a row. */
  #generation = 0;

  constructor(ledger: Ledger, unseen: Unseen) {
    this.#ledger = ledger;
    this.#unseen = unseen;
  }

  get live(): RowWindow {
    return this.#live;
  }

  get detached(): RowWindow | undefined {
    return this.#detached;
  }

  get head(): string {
    const { newest } = this.#live;
    return newest ? timestampOf(newest) : '';
  }

  openLive({ items, nextCursor }: HistoryPage): void {
    const entries = items.toReversed().map((row) => this.#ledger.learn(row));
    this.#live = new RowWindow(entries, nextCursor !== null);
  }

  /** Opens the detached window with rows, the newest first, in place of the one before. The same answer cannot open it again. */
  openDetached(rows: readonly Message[], hasOlder: boolean): void {
    this.closeDetached();
    this.outdateAsks();
    const entries = rows.map((row) => this.place(row));
    this.#detached = new RowWindow(entries, hasOlder);
  }

  closeDetached(): boolean {
    const window = this.#detached;
    if (!window) return false;
    this.#detached = undefined;
    this.outdateAsks();
    this.forget(window.entries);
    return true;
  }

  clear(): void {
    this.#live = new RowWindow();
    this.#detached = undefined;
  }

  ask(): PageAsk {
    return { generation: this.#generation };
  }

  askBefore({ oldest, hasOlder }: RowWindow): OlderAsk | undefined {
    if (!oldest || !hasOlder) return undefined;
    return { ...this.ask(), cursor: oldest.id };
  }

  isCurrent({ generation }: PageAsk): boolean {
    return generation === this.#generation;
  }

  outdateAsks(): void {
    this.#generation += 1;
  }

  place(row: LearnedRow): Entry {
    const entry = this.#ledger.learn(row);
    if (!this.#live.isBelow(row.timestamp)) this.#live.insert(entry);
    return entry;
  }

  prepend(window: RowWindow, { items, nextCursor }: HistoryPage): void {
    const entries = items.map((row) => this.#ledger.learn(row));
    const oldest = entries.at(-1);
    // A doubled answer: everything of it is there already.
    if (oldest && window.has(oldest)) return;
    window.prepend(entries, nextCursor !== null);
  }

  forget(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#unseen.delete(entry);
      if (this.#live.has(entry) || this.#detached?.has(entry)) continue;
      this.#ledger.forget(entry);
    }
  }

  merge(): void {
    if (!this.#detached || !this.#live.overlaps(this.#detached)) return;
    this.#live.merge(this.#detached);
    this.#detached = undefined;
  }
}
