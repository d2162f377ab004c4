import type { Message } from '../shapes.ts';
import type { HistoryPage, NewerAsk, OlderAsk, PageAsk } from './asks.ts';
import { LiveTimeline } from './live-timeline.ts';
import { timestampOf } from './row-window.ts';
import type { DetachedSnapshot } from './snapshot.ts';
import { TimelineState } from './timeline-state.ts';

/**
 * One list of a session's messages: the join of the stored history, the room, and our own messages. It converges to the
 * history in whatever order answers arrive. It has no I/O and no timers: the caller sends the requests, and passes in the
 * answers.
 *
 * The live window holds every stored row from its oldest one to `since`. A second, detached window can be open elsewhere in
 * the history; when the two meet they become one.
 */
export class Timeline extends LiveTimeline {
  readonly #state: TimelineState;

  constructor() {
    const state = new TimelineState();
    super(state);
    this.#state = state;
  }

  /** Returns the detached window, or undefined when there is none. */
  getDetachedSnapshot = (): DetachedSnapshot | undefined => this.#state.getDetachedSnapshot();

  /** Returns what to pass to `openDetached` along with the answer, or undefined before the first page. */
  askDetached(): PageAsk | undefined {
    const { catchUp, windows } = this.#state;
    return catchUp.hasBegun ? windows.ask() : undefined;
  }

  /**
   * Opens the detached window with `rows`, the newest first: a row that `latest` found, then the page before that row. The
   * answer of `latest` alone would have a hole: it lists a completed row at its completion, not at its timestamp.
   */
  openDetached(asked: PageAsk, rows: readonly Message[], hasOlder: boolean): boolean {
    const { windows } = this.#state;
    if (!windows.isCurrent(asked) || rows.length === 0) return false;
    windows.openDetached(rows, hasOlder);
    return this.#state.changed();
  }

  /** Returns the request for the page before the detached window, or undefined when there is no such page. */
  askDetachedOlder(): OlderAsk | undefined {
    const { windows } = this.#state;
    return windows.detached && windows.askBefore(windows.detached);
  }

  /** Takes the page before the detached window. */
  detachedOlder(asked: OlderAsk, page: HistoryPage): boolean {
    const { windows } = this.#state;
    if (!windows.isCurrent(asked) || !windows.detached) return false;
    windows.prepend(windows.detached, page);
    return this.#state.changed();
  }

  /** Returns the request for what follows the detached window, or undefined when none is open. */
  askDetachedNewer(): NewerAsk | undefined {
    const { windows } = this.#state;
    const newest = windows.detached?.newest;
    return newest && { ...windows.ask(), since: timestampOf(newest) };
  }

  /**
   * Takes what follows the detached window: a row that `latest` has found, then pages before that row, the newest first.
   * False when they do not reach back to the window: then one more page is needed.
   */
  detachedNewer(asked: NewerAsk, rows: readonly Message[]): boolean {
    const { windows } = this.#state;
    const { detached } = windows;
    if (!windows.isCurrent(asked) || !detached?.newest) return false;
    const since = timestampOf(detached.newest);
    if (!rows.some(({ timestamp }) => timestamp <= since)) return false;
    for (const row of rows) {
      if (row.timestamp > since) detached.insert(windows.place(row));
    }
    return this.#state.changed();
  }

  /** Closes the detached window, and forgets what it alone held. */
  closeDetached(): boolean {
    return this.#state.windows.closeDetached() && this.#state.changed();
  }
}
