import type { Message } from '../shapes.ts';
import type { HistoryPage, NewerAsk, OlderAsk, PageAsk } from './asks.ts';
import { LiveTimeline } from './live-timeline.ts';
import { timestampOf } from './row-window.ts';
import type { DetachedSnapshot } from './snapshot.ts';
import { TimelineState } from './timeline-state.ts';

/**
 * One list of a session's messages: the join of the stored history, the room, and our own. It converges to the history
 * in whatever order answers arrive, without I/O and timers. The live window holds every stored row from its oldest one
 * to `since`; a detached window may be open elsewhere until they meet.
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
   * Opens the detached window with `rows`, the newest first: a row of `latest`, then the page before it. `latest` alone
   * would have a hole: it lists a row at its completion.
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

  /** Takes a row of `latest`, then pages before it, the newest first. False when one more page is needed to reach back. */
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

  closeDetached(): boolean {
    return this.#state.windows.closeDetached() && this.#state.changed();
  }
}
