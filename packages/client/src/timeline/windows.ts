import type { Message } from '../shapes.ts';
import type { Entry, LearnedRow } from './entry.ts';
import type { Ledger } from './ledger.ts';
import { RowWindow, timestampOf } from './row-window.ts';

/** The newest row first. */
export interface HistoryPage {
  readonly items: readonly Message[];
  readonly nextCursor: string | null;
}

/** Kept from a request to its answer. A page is ignored if held rows were forgotten after it was requested. */
export interface PageAsk {
  readonly generation: number;
}

export interface OlderAsk extends PageAsk {
  readonly cursor: string;
}

export interface NewerAsk extends PageAsk {
  readonly since: string;
}

export class Windows {
  readonly #ledger: Ledger;
  #live = new RowWindow();
  #detached: RowWindow | undefined;
  /** Increases when held rows are forgotten. A page requested before could bring back an old version of these rows. */
  #generation = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
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

  first({ items, nextCursor }: HistoryPage): void {
    const entries = items.toReversed().map((row) => this.#ledger.learn(row));
    this.#live = new RowWindow(entries, nextCursor !== null);
  }

  ask(): PageAsk {
    return { generation: this.#generation };
  }

  askBefore(window: RowWindow | undefined): OlderAsk | undefined {
    if (!window?.oldest || !window.hasOlder) return undefined;
    return { ...this.ask(), cursor: window.oldest.id };
  }

  askDetachedNewer(): NewerAsk | undefined {
    const newest = this.#detached?.newest;
    return newest && { ...this.ask(), since: timestampOf(newest) };
  }

  openDetached(asked: PageAsk, rows: readonly Message[], hasOlder: boolean): boolean {
    if (!this.#isCurrent(asked) || rows.length === 0) return false;
    const entries = rows.map((row) => this.place(row));
    this.#replaceDetached(new RowWindow(entries, hasOlder));
    return true;
  }

  detachedNewer(asked: NewerAsk, rows: readonly Message[]): boolean {
    const newest = this.#detached?.newest;
    if (!this.#isCurrent(asked) || !newest) return false;
    const since = timestampOf(newest);
    if (!rows.some(({ timestamp }) => timestamp <= since)) return false;
    for (const row of rows) {
      if (row.timestamp > since) this.#detached?.insert(this.place(row));
    }
    return true;
  }

  closeDetached(): boolean {
    if (!this.#detached) return false;
    this.#replaceDetached(undefined);
    return true;
  }

  reset(): void {
    this.#outdateAsks();
    this.#live = new RowWindow();
    this.#detached = undefined;
  }

  place(row: LearnedRow): Entry {
    const entry = this.#ledger.learn(row);
    if (!this.#live.isBelow(row.timestamp)) this.#live.insert(entry);
    return entry;
  }

  prepend(
    window: RowWindow | undefined,
    asked: PageAsk,
    { items, nextCursor }: HistoryPage,
  ): boolean {
    if (!window || !this.#isCurrent(asked)) return false;
    const entries = items.map((row) => this.#ledger.learn(row));
    const oldest = entries.at(-1);
    // Ignores a duplicate answer, whose rows are all there already.
    if (!oldest || !window.has(oldest)) window.prepend(entries, nextCursor !== null);
    return true;
  }

  trim(count: number): boolean {
    const removed = this.#live.trim(count);
    const { oldest } = this.#live;
    const hasDropped = this.#ledger.trim();
    if (removed.length === 0 || !oldest) return hasDropped;
    this.#outdateAsks();
    this.#ledger.forgetBefore(timestampOf(oldest));
    this.#forget(removed);
    return true;
  }

  merge(): void {
    if (!this.#detached || !this.#live.overlaps(this.#detached)) return;
    this.#live.merge(this.#detached);
    this.#detached = undefined;
  }

  /**
   * Sets the new window before the former one is forgotten, so that rows in both are kept. The page of the new window may
   * contain older versions of these rows.
   */
  #replaceDetached(window: RowWindow | undefined): void {
    const former = this.#detached?.entries ?? [];
    this.#detached = window;
    this.#outdateAsks();
    this.#forget(former);
  }

  #isCurrent({ generation }: PageAsk): boolean {
    return generation === this.#generation;
  }

  #outdateAsks(): void {
    this.#generation += 1;
  }

  #forget(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#ledger.unseen.delete(entry);
      if (this.#live.has(entry) || this.#detached?.has(entry)) continue;
      this.#ledger.forget(entry);
    }
  }
}
