import type { LatestMessages, Message } from '@session/contract';
import type { HistoryPage, LatestAsk, NewerAsk, OlderAsk, PageAsk } from './asks.ts';
import type { Entry, LiveMessage, Mark, OwnMessage } from './entry.ts';
import { type Arrival, Ledger } from './ledger.ts';
import { RowWindow, timestampOf } from './row-window.ts';
import { type DetachedSnapshot, itemsOf, type TimelineSnapshot } from './snapshot.ts';

/** `since` for an empty history. This client's clock is no use here: timestamps come from another machine. */
const EPOCH = '1970-01-01T00:00:00.000Z';

/**
 * One list of a session's messages: the join of the stored history, the room, and our own messages. It converges to the
 * history in whatever order answers arrive. It has no I/O and no timers: the caller sends the requests, and passes in the
 * answers.
 *
 * The live window holds every stored row from its oldest one to `since`. A second, detached window can be open elsewhere in
 * the history; when the two meet they become one.
 */
export class Timeline {
  readonly #ledger = new Ledger();
  readonly #listeners = new Set<() => void>();
  readonly #unseen = new Set<Entry>();
  #live = new RowWindow();
  #detached: RowWindow | undefined;
  /** The only value ever sent as `since`. Every row that was stored or changed up to this time has arrived. */
  #since: string | undefined;
  /** Counts up when held rows are forgotten. A page requested before that could bring back an old version of such a row. */
  #generation = 0;
  #losses = 0;
  /** Our own messages that the API stored before the first page arrived. */
  #early: Message[] = [];
  #catchingUp = true;
  #isAtEnd = true;
  #snapshot: TimelineSnapshot | undefined;
  #detachedSnapshot: DetachedSnapshot | undefined;
  #isNotifying = false;

  /** Calls `listener` once after each round of changes, in a microtask. Returns a function that ends the subscription. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns the live end of the history: the same object until something changes. */
  getSnapshot = (): TimelineSnapshot => {
    this.#snapshot ??= {
      items: itemsOf(this.#live.entries, this.#ledger.loose),
      hasOlder: this.#live.hasOlder,
      unseen: this.#unseen.size,
      catchingUp: this.#catchingUp,
    };
    return this.#snapshot;
  };

  /** Returns the detached window, or undefined when there is none. */
  getDetachedSnapshot = (): DetachedSnapshot | undefined => {
    const window = this.#detached;
    if (!window) return undefined;
    const { hasOlder } = window;
    this.#detachedSnapshot ??= { items: itemsOf(window.entries, []), hasOlder };
    return this.#detachedSnapshot;
  };

  /** Takes the newest page, if the window is empty: beside held rows the page would leave a hole. */
  first({ items, nextCursor }: HistoryPage): boolean {
    if (this.#since !== undefined) return false;
    const entries = items.toReversed().map((row) => this.#ledger.learn(row));
    this.#live = new RowWindow(entries, nextCursor !== null);
    this.#since = items[0]?.timestamp ?? EPOCH;
    for (const row of this.#early.splice(0)) this.#place(row);
    return this.#changed();
  }

  /** Returns the request for what is new, or undefined before the first page. */
  askLatest(): LatestAsk | undefined {
    if (this.#since === undefined) return undefined;
    return { since: this.#since, losses: this.#losses };
  }

  /** Takes what is new since `asked.since`. */
  latest(asked: LatestAsk, { items, nextSince, hasMore }: LatestMessages): boolean {
    if (this.#since === undefined) return false;
    const { clock } = this.#ledger;
    for (const row of items) this.#count(this.#place(row), clock);
    // An answer that starts after `since` leaves out the rows between the two.
    if (asked.since <= this.#since) {
      if (nextSince > this.#since) this.#since = nextSince;
      if (!hasMore && asked.losses === this.#losses) this.#endCatchingUp();
    }
    return this.#changed();
  }

  /** Returns the request for the page before the oldest row held, or undefined when there is no such page. */
  askOlder(): OlderAsk | undefined {
    return this.#askBefore(this.#live);
  }

  /** Takes the page before the oldest row held. */
  older({ generation }: OlderAsk, page: HistoryPage): boolean {
    if (generation !== this.#generation) return false;
    this.#prepend(this.#live, page);
    return this.#changed();
  }

  /**
   * Takes the answer to our own `POST …/messages`. A message that was stored before the window's oldest row leaves the list:
   * it is further up in the history.
   */
  confirm(row: Message): boolean {
    if (this.#since === undefined) this.#early.push(row);
    else this.#place(row);
    return this.#changed();
  }

  /** Takes what the room says of a message: each time the whole text so far. */
  hear(live: LiveMessage): boolean {
    const { clock } = this.#ledger;
    const entry = this.#ledger.hear(live, this.#arrival());
    if (!entry) return false;
    this.#count(entry, clock);
    return this.#changed();
  }

  /** Shows a message of our own as `sending`; also one that failed before, under its id. */
  say(own: OwnMessage): boolean {
    return this.#ledger.say(own, this.#arrival()) ? this.#changed() : false;
  }

  /** Sets the state of an item that the history does not have. */
  mark(key: string, mark: Mark): boolean {
    this.#ledger.mark(key, mark);
    return this.#changed();
  }

  /** Drops the room's unfinished messages. Rows may be missing until the answer to a later `askLatest`. */
  roomLost(): boolean {
    this.#losses += 1;
    this.#catchingUp = true;
    this.#ledger.dropPartials();
    return this.#changed();
  }

  /** Sets whether the reader sees the end of the list. Messages that arrive meanwhile do not count as unseen. */
  setAtEnd(isAtEnd: boolean): boolean {
    this.#isAtEnd = isAtEnd;
    if (isAtEnd) this.#unseen.clear();
    return this.#changed();
  }

  /** Keeps the newest `count` rows of the live window, at least one. */
  trim(count: number): boolean {
    const removed = this.#live.trim(count);
    const { oldest } = this.#live;
    if (removed.length === 0 || !oldest) return false;
    this.#generation += 1;
    this.#ledger.forgetLooseBefore(timestampOf(oldest));
    this.#forget(removed);
    return this.#changed();
  }

  /** Forgets both windows, and keeps our own messages that are not stored. Call `first` next. */
  reset(): boolean {
    this.#generation += 1;
    this.#losses += 1;
    this.#ledger.forgetAllButOwn();
    this.#live = new RowWindow();
    this.#detached = undefined;
    this.#since = undefined;
    this.#catchingUp = true;
    this.#unseen.clear();
    return this.#changed();
  }

  /** Returns what to pass to `openDetached` along with the answer, or undefined before the first page. */
  askDetached(): PageAsk | undefined {
    return this.#since === undefined ? undefined : { generation: this.#generation };
  }

  /**
   * Opens the detached window with `rows`, the newest first: a row that `latest` found, then the page before that row. The
   * answer of `latest` alone would have a hole: it lists a completed row at its completion, not at its timestamp.
   */
  openDetached({ generation }: PageAsk, rows: readonly Message[], hasOlder: boolean): boolean {
    if (generation !== this.#generation || rows.length === 0) return false;
    this.closeDetached();
    const entries = rows.map((row) => this.#place(row));
    this.#detached = new RowWindow(entries, hasOlder);
    return this.#changed();
  }

  /** Returns the request for the page before the detached window, or undefined when there is no such page. */
  askDetachedOlder(): OlderAsk | undefined {
    return this.#detached && this.#askBefore(this.#detached);
  }

  /** Takes the page before the detached window. */
  detachedOlder({ generation }: OlderAsk, page: HistoryPage): boolean {
    if (generation !== this.#generation || !this.#detached) return false;
    this.#prepend(this.#detached, page);
    return this.#changed();
  }

  /** Returns the request for what follows the detached window, or undefined when none is open. */
  askDetachedNewer(): NewerAsk | undefined {
    const newest = this.#detached?.newest;
    return newest && { generation: this.#generation, since: timestampOf(newest) };
  }

  /**
   * Takes what follows the detached window: a row that `latest` has found, then pages before that row, the newest first.
   * False when they do not reach back to the window: then one more page is needed.
   */
  detachedNewer({ generation }: NewerAsk, rows: readonly Message[]): boolean {
    const newest = this.#detached?.newest;
    if (generation !== this.#generation || !this.#detached || !newest) return false;
    const since = timestampOf(newest);
    if (!rows.some(({ timestamp }) => timestamp <= since)) return false;
    for (const row of rows) {
      if (row.timestamp > since) this.#detached.insert(this.#place(row));
    }
    return this.#changed();
  }

  /** Closes the detached window, and forgets what it alone held. */
  closeDetached(): boolean {
    const window = this.#detached;
    if (!window) return false;
    this.#detached = undefined;
    this.#generation += 1;
    this.#forget(window.entries);
    return this.#changed();
  }

  #arrival(): Arrival {
    const { newest } = this.#live;
    return { head: newest ? timestampOf(newest) : '', isLate: this.#catchingUp };
  }

  #askBefore({ oldest, hasOlder }: RowWindow): OlderAsk | undefined {
    if (!oldest || !hasOlder) return undefined;
    return { generation: this.#generation, cursor: oldest.id };
  }

  /** Joins a row, and inserts it into the live window unless that would leave a hole there. */
  #place(row: Message): Entry {
    const entry = this.#ledger.learn(row);
    if (!this.#live.isBelow(row.timestamp)) this.#live.insert(entry);
    return entry;
  }

  #prepend(window: RowWindow, { items, nextCursor }: HistoryPage): void {
    const entries = items.map((row) => this.#ledger.learn(row));
    const oldest = entries.at(-1);
    // A doubled answer: everything of it is there already.
    if (oldest && window.has(oldest)) return;
    window.prepend(entries, nextCursor !== null);
  }

  #endCatchingUp(): void {
    if (!this.#catchingUp) return;
    this.#catchingUp = false;
    this.#ledger.settle(this.#arrival().head);
  }

  /** Counts a message that arrived after `clock`, while the reader was further up. */
  #count(entry: Entry, clock: number): void {
    if (this.#isAtEnd || entry.seen <= clock || entry.stored?.role === 'system') return;
    this.#unseen.add(entry);
  }

  #forget(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#unseen.delete(entry);
      if (this.#live.has(entry) || this.#detached?.has(entry)) continue;
      this.#ledger.forget(entry);
    }
  }

  /** Merges windows that have met, and tells the listeners. */
  #changed(): true {
    if (this.#detached && this.#live.overlaps(this.#detached)) {
      this.#live.merge(this.#detached);
      this.#detached = undefined;
    }
    this.#snapshot = undefined;
    this.#detachedSnapshot = undefined;
    if (!this.#isNotifying) {
      this.#isNotifying = true;
      queueMicrotask(() => {
        this.#isNotifying = false;
        for (const listener of this.#listeners) listener();
      });
    }
    return true;
  }
}
