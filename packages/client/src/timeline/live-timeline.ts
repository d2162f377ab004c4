import type { Participant } from '@session/contract/room';
import type { LatestMessages } from '../shapes.ts';
import type { HistoryPage, LatestAsk, OlderAsk } from './asks.ts';
import type { LearnedRow, LiveMessage, Mark, OwnMessage } from './entry.ts';
import type { Arrival } from './ledger.ts';
import { timestampOf } from './row-window.ts';
import type { TimelineSnapshot } from './snapshot.ts';
import { storedAt } from './stored-row.ts';
import type { TimelineState } from './timeline-state.ts';

/** The live end of a timeline: every stored row from the oldest one held to `since`, the room, and our own messages. */
export class LiveTimeline {
  readonly #state: TimelineState;
  /** Our own messages that the API stored before the first page arrived. */
  #early: LearnedRow[] = [];

  constructor(state: TimelineState) {
    this.#state = state;
  }

  /** Calls `listener` once after each round of changes, in a microtask. Returns a function that ends the subscription. */
  subscribe = (listener: () => void): (() => void) => this.#state.listeners.add(listener);

  /** Returns the live end of the history: the same object until something changes. */
  getSnapshot = (): TimelineSnapshot => this.#state.getSnapshot();

  /** Takes the newest page, if the window is empty: beside held rows the page would leave a hole. */
  first(page: HistoryPage): boolean {
    const { catchUp, windows } = this.#state;
    if (catchUp.hasBegun) return false;
    windows.openLive(page);
    const [newest] = page.items;
    catchUp.begin(newest && storedAt(newest));
    for (const row of this.#early.splice(0)) windows.place(row);
    return this.#state.changed();
  }

  /** Returns the request for what is new, or undefined before the first page. */
  askLatest(): LatestAsk | undefined {
    return this.#state.catchUp.ask();
  }

  latest(asked: LatestAsk, answer: LatestMessages): boolean {
    const { catchUp, ledger, unseen, windows } = this.#state;
    if (!catchUp.hasBegun) return false;
    const { clock } = ledger;
    for (const row of answer.items) unseen.count(windows.place(row), clock);
    if (catchUp.advance(asked, answer)) ledger.loose.settle(windows.head);
    return this.#state.changed();
  }

  /** Returns the request for the page before the oldest row held, or undefined when there is no such page. */
  askOlder(): OlderAsk | undefined {
    const { windows } = this.#state;
    return windows.askBefore(windows.live);
  }

  older(asked: OlderAsk, page: HistoryPage): boolean {
    const { windows } = this.#state;
    if (!windows.isCurrent(asked)) return false;
    windows.prepend(windows.live, page);
    return this.#state.changed();
  }

  /** Takes the answer to our own `POST …/messages`. A message from before the window's oldest row leaves the list. */
  confirm(row: LearnedRow): boolean {
    if (this.#state.catchUp.hasBegun) this.#state.windows.place(row);
    else this.#early.push(row);
    return this.#state.changed();
  }

  /** Takes what the room says of a message: each time the whole text so far. */
  hear(live: LiveMessage): boolean {
    const { ledger, unseen } = this.#state;
    const { clock } = ledger;
    const entry = ledger.hear(live, this.#arrival());
    if (!entry) return false;
    unseen.count(entry, clock);
    return this.#state.changed();
  }

  /** Breaks off what a participant was saying, and what an agent transcribed: it has left the room. */
  participantLeft(leaver: Pick<Participant, 'identity' | 'kind'>): boolean {
    this.#state.ledger.breakOff(leaver, this.#arrival());
    return this.#state.changed();
  }

  /** Shows a message of our own as `sending`; also one that failed before, under its id. */
  say(own: OwnMessage): boolean {
    return this.#state.ledger.say(own, this.#arrival()) ? this.#state.changed() : false;
  }

  /** Sets the state of an item that the history does not have. */
  mark(key: string, mark: Mark): boolean {
    this.#state.ledger.loose.mark(key, mark);
    return this.#state.changed();
  }

  /** Drops the room's unfinished messages. Rows may be missing until the answer to a later `askLatest`. */
  roomLost(): boolean {
    this.#state.catchUp.fallBehind();
    this.#state.ledger.dropPartials();
    return this.#state.changed();
  }

  /** Sets whether the reader sees the end of the list. Messages that arrive meanwhile do not count as unseen. */
  setAtEnd(isAtEnd: boolean): boolean {
    this.#state.unseen.setAtEnd(isAtEnd);
    return this.#state.changed();
  }

  /** Keeps the newest `count` rows of the live window, at least one. */
  trim(count: number): boolean {
    const { ledger, windows } = this.#state;
    const removed = windows.live.trim(count);
    const { oldest } = windows.live;
    if (removed.length === 0 || !oldest) return false;
    windows.outdateAsks();
    ledger.loose.forgetBefore(timestampOf(oldest));
    windows.forget(removed);
    return this.#state.changed();
  }

  /** Forgets both windows, and keeps our own messages that are not stored. Call `first` next. */
  reset(): boolean {
    const { catchUp, ledger, unseen, windows } = this.#state;
    windows.outdateAsks();
    catchUp.reset();
    ledger.forgetAllButOwn();
    windows.clear();
    unseen.clear();
    return this.#state.changed();
  }

  #arrival(): Arrival {
    const { catchUp, windows } = this.#state;
    return { anchor: windows.head, isLate: catchUp.isBehind };
  }
}
