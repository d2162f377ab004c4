import type { Participant } from '@session/contract/room';
import type { LatestMessages, Message } from '../shapes.ts';
import { CatchUp, type LatestAsk } from './catch-up.ts';
import type { Entry, LearnedRow, LiveMessage, Mark, OwnMessage } from './entry.ts';
import { type Arrival, Ledger } from './ledger.ts';
import { Listeners } from './listeners.ts';
import { type DetachedSnapshot, itemsOf, type TimelineSnapshot } from './snapshot.ts';
import { isErased, storedAt } from './stored-row.ts';
import {
  type HistoryPage,
  type NewerAsk,
  type OlderAsk,
  type PageAsk,
  Windows,
} from './windows.ts';

/**
 * One list of a session's messages, which joins the stored history, the room and our own messages. It converges to the
 * history whatever the order of answers, without I/O and timers. The live window contains every stored row from its oldest
 * one to `since`. A detached window may be open elsewhere until the two meet. Methods that take news return false if they
 * ignore it.
 */
export class Timeline {
  readonly #ledger = new Ledger();
  readonly #catchUp = new CatchUp();
  readonly #windows = new Windows(this.#ledger);
  readonly #listeners = new Listeners();
  #isAtEnd = true;
  #early: LearnedRow[] = [];
  #snapshot: TimelineSnapshot | undefined;
  #detachedSnapshot: DetachedSnapshot | undefined;

  subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener);

  /** Returns the same object until something changes. */
  getSnapshot = (): TimelineSnapshot => {
    const { live } = this.#windows;
    this.#snapshot ??= {
      items: itemsOf(live.entries, this.#ledger.loose),
      hasOlder: live.hasOlder,
      unseen: this.#ledger.unseen.size,
      catchingUp: this.#catchUp.catchingUp,
    };
    return this.#snapshot;
  };

  getDetachedSnapshot = (): DetachedSnapshot | undefined => {
    const { detached } = this.#windows;
    if (!detached) return undefined;
    const { entries, hasOlder } = detached;
    this.#detachedSnapshot ??= { items: itemsOf(entries, []), hasOlder };
    return this.#detachedSnapshot;
  };

  /** Takes the newest page if the window is empty. Otherwise, the page could leave a gap. */
  first(page: HistoryPage): boolean {
    if (this.#catchUp.hasBegun) return false;
    this.#windows.first(page);
    const [newest] = page.items;
    this.#catchUp.first(newest && storedAt(newest));
    for (const row of this.#early.splice(0)) this.#windows.place(row);
    return this.#changed();
  }

  askLatest(): LatestAsk | undefined {
    return this.#catchUp.ask();
  }

  latest(asked: LatestAsk, answer: LatestMessages): boolean {
    if (!this.#catchUp.hasBegun) return false;
    const { clock } = this.#ledger;
    for (const row of answer.items) this.#count(this.#windows.place(row), clock);
    if (this.#catchUp.latest(asked, answer)) this.#ledger.settle(this.#windows.head);
    return this.#changed();
  }

  askOlder(): OlderAsk | undefined {
    return this.#windows.askBefore(this.#windows.live);
  }

  older(asked: OlderAsk, page: HistoryPage): boolean {
    return this.#windows.prepend(this.#windows.live, asked, page) && this.#changed();
  }

  /** Takes the answer to our own `POST …/messages`. A message from before the window's oldest row leaves the list. */
  confirm(row: LearnedRow): boolean {
    if (this.#catchUp.hasBegun) this.#windows.place(row);
    else this.#early.push(row);
    return this.#changed();
  }

  /** Takes the room's version of a message, each time with the whole text so far. */
  hear(live: LiveMessage): boolean {
    const { clock } = this.#ledger;
    const entry = this.#ledger.hear(live, this.#arrival());
    if (!entry) return false;
    this.#count(entry, clock);
    return this.#changed();
  }

  participantLeft(leaver: Pick<Participant, 'identity' | 'kind'>): boolean {
    this.#ledger.participantLeft(leaver, this.#arrival());
    return this.#changed();
  }

  say(own: OwnMessage): boolean {
    return this.#ledger.say(own, this.#arrival()) ? this.#changed() : false;
  }

  mark(key: string, mark: Mark): boolean {
    this.#ledger.mark(key, mark);
    return this.#changed();
  }

  /** Drops the room's unfinished messages. Rows may be missing until the answer to a later `askLatest`. */
  roomLost(): boolean {
    this.#catchUp.roomLost();
    this.#ledger.roomLost();
    return this.#changed();
  }

  setAtEnd(isAtEnd: boolean): boolean {
    this.#isAtEnd = isAtEnd;
    if (isAtEnd) this.#ledger.unseen.clear();
    return this.#changed();
  }

  trim(count: number): boolean {
    return this.#windows.trim(count) && this.#changed();
  }

  /** Forgets both windows, except for our own unstored messages. Call `first` next. */
  reset(): boolean {
    this.#catchUp.reset();
    this.#ledger.reset();
    this.#windows.reset();
    return this.#changed();
  }

  askDetached(): PageAsk | undefined {
    return this.#catchUp.hasBegun ? this.#windows.ask() : undefined;
  }

  /**
   * Opens the detached window with `rows`, the newest first: a row of `latest`, then the pages before it. `latest` alone would
   * leave a gap, because it lists a row at its completion.
   */
  openDetached(asked: PageAsk, rows: readonly Message[], hasOlder: boolean): boolean {
    return this.#windows.openDetached(asked, rows, hasOlder) && this.#changed();
  }

  askDetachedOlder(): OlderAsk | undefined {
    return this.#windows.askBefore(this.#windows.detached);
  }

  detachedOlder(asked: OlderAsk, page: HistoryPage): boolean {
    return this.#windows.prepend(this.#windows.detached, asked, page) && this.#changed();
  }

  askDetachedNewer(): NewerAsk | undefined {
    return this.#windows.askDetachedNewer();
  }

  /**
   * Takes a row of `latest`, then pages before it, the newest first. Returns false if these rows do not reach back to the
   * detached window.
   */
  detachedNewer(asked: NewerAsk, rows: readonly Message[]): boolean {
    return this.#windows.detachedNewer(asked, rows) && this.#changed();
  }

  closeDetached(): boolean {
    return this.#windows.closeDetached() && this.#changed();
  }

  #arrival(): Arrival {
    return { anchor: this.#windows.head, isLate: this.#catchUp.catchingUp };
  }

  #count(entry: Entry, clock: number): void {
    const { seen, stored } = entry;
    if (this.#isAtEnd || seen <= clock || (stored && !this.#isNews(stored))) return;
    this.#ledger.unseen.add(entry);
  }

  #isNews(row: Message): boolean {
    return row.role !== 'system' && !isErased(row) && !this.#windows.live.isBelow(row.timestamp);
  }

  #changed(): true {
    this.#windows.merge();
    this.#snapshot = undefined;
    this.#detachedSnapshot = undefined;
    this.#listeners.notify();
    return true;
  }
}
