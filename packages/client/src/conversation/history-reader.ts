import type { Message } from '@session/contract';
import { isRefusal } from '../http/api-error.ts';
import { pause } from '../http/pause.ts';
import { retryDelay } from '../http/retry.ts';
import { findRowAfter, readPage } from './history-pages.ts';
import type { ConversationParts } from './parts.ts';

const LATEST_ROWS = 500;
/** A client that is further behind starts again with the newest page. */
const MAX_ROWS_BEHIND = 2000;
/** How many rows the live window keeps while the reader is at its end. */
const WINDOW_ROWS = 5000;
/** How many rows more are kept before the window is trimmed. */
const SURPLUS_ROWS = 500;

/** Reads the stored history into a timeline: the newest page, everything new, and the pages that a reader scrolls to. */
export class HistoryReader {
  readonly #parts: ConversationParts;
  #isAtEnd = true;
  #waiting: AbortController | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  set isAtEnd(isAtEnd: boolean) {
    this.#isAtEnd = isAtEnd;
    this.#parts.timeline.setAtEnd(isAtEnd);
    this.#trim();
  }

  /** Follows the history until the conversation is closed. Throws what the API refuses. */
  async follow(): Promise<void> {
    const { signal, random } = this.#parts;
    let rowsBehind = 0;
    for (let failures = 0; ; ) {
      try {
        rowsBehind = await this.#readNews(rowsBehind);
        failures = 0;
        this.#setOnline(true);
      } catch (error) {
        signal.throwIfAborted();
        // `refresh` cut the wait short.
        if (error === this.#waiting?.signal.reason) continue;
        if (isRefusal(error)) throw error;
        this.#setOnline(false);
        await pause(retryDelay(error, failures, random), signal);
        failures += 1;
      }
    }
  }

  /** Ends the waiting request, so that the next one reads at once. */
  refresh(): void {
    this.#waiting?.abort();
  }

  /** Reads the page before the oldest row of the live window. */
  async older(): Promise<void> {
    const { state, timeline } = this.#parts;
    if (state.current.isLoadingOlder) return;
    state.set({ isLoadingOlder: true });
    try {
      for (let asked = timeline.askOlder(); asked; asked = timeline.askOlder()) {
        if (timeline.older(asked, await readPage(this.#parts, asked.cursor))) return;
      }
    } finally {
      state.set({ isLoadingOlder: false });
    }
  }

  /** Opens the detached window around a time, unless nothing was stored since then. */
  async openAt(time: string): Promise<void> {
    const { timeline } = this.#parts;
    const since = new Date(Date.parse(time) - 1).toISOString();
    for (let asked = timeline.askDetached(); asked; asked = timeline.askDetached()) {
      const edge = await findRowAfter(this.#parts, since);
      if (!edge) return;
      const { items, nextCursor } = await readPage(this.#parts, edge.id);
      if (timeline.openDetached(asked, [edge, ...items], nextCursor !== null)) return;
    }
  }

  /** Reads the page before the detached window. */
  async detachedOlder(): Promise<void> {
    const { timeline } = this.#parts;
    const asked = timeline.askDetachedOlder();
    if (asked) timeline.detachedOlder(asked, await readPage(this.#parts, asked.cursor));
  }

  /** Reads what follows the detached window, if there is anything. */
  async detachedNewer(): Promise<void> {
    const { timeline } = this.#parts;
    const asked = timeline.askDetachedNewer();
    const edge = asked && (await findRowAfter(this.#parts, asked.since));
    if (!asked || !edge) return;
    const rows = [edge];
    for (
      let last: Message | undefined = edge;
      last && last.timestamp > asked.since;
      last = rows.at(-1)
    ) {
      const { items, nextCursor } = await readPage(this.#parts, last.id);
      rows.push(...items);
      if (nextCursor === null) break;
    }
    timeline.detachedNewer(asked, rows);
  }

  #setOnline(isOnline: boolean): void {
    const { state } = this.#parts;
    if (isOnline !== state.current.isOnline) state.set({ isOnline });
  }

  /** Reads what is new, or waits for it. Returns how many rows arrived since the client was last up to date. */
  async #readNews(rowsBehind: number): Promise<number> {
    const { api, timeline, timing, sessionId, signal } = this.#parts;
    const asked = timeline.askLatest();
    if (!asked) {
      timeline.first(await readPage(this.#parts));
      return 0;
    }
    const wait = timeline.getSnapshot().catchingUp ? 0 : timing.waitSeconds;
    this.#waiting = new AbortController();
    const query = { since: asked.since, limit: LATEST_ROWS, wait };
    const waiting = AbortSignal.any([signal, this.#waiting.signal]);
    const answer = await api.messages.latest(sessionId, { ...query, signal: waiting });
    const rows = rowsBehind + answer.items.length;
    if (answer.hasMore && rows >= MAX_ROWS_BEHIND) {
      timeline.reset();
      return 0;
    }
    timeline.latest(asked, answer);
    this.#trim();
    return answer.hasMore ? rows : 0;
  }

  #trim(): void {
    const { timeline } = this.#parts;
    const { items } = timeline.getSnapshot();
    if (this.#isAtEnd && items.length > WINDOW_ROWS + SURPLUS_ROWS) timeline.trim(WINDOW_ROWS);
  }
}
