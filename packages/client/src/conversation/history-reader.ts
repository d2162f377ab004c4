import { isRefusal } from '../http/api-error.ts';
import { retryDelay } from '../http/retry.ts';
import type { StreamedMessage } from '../resources/arriving-messages.ts';
import type { LatestAsk } from '../timeline/asks.ts';
import { readAfter, readPage } from './history-pages.ts';
import type { ConversationParts } from './parts.ts';

const LATEST_ROWS = 500;
/** A client that is further behind starts again with the newest page. */
const MAX_ROWS_BEHIND = 2000;
const WINDOW_ROWS = 5000;
/** How many rows more are kept before the window is trimmed. */
const SURPLUS_ROWS = 500;

export class HistoryReader {
  readonly #parts: ConversationParts;
  #isAtEnd = true;
  /** Whether the next request must not wait: `refresh` was called, or the last request failed. */
  #isUrgent = false;
  /** How many streams in a row brought nothing. */
  #failedStreams = 0;
  /** How many requests that wait come before the next stream. */
  #polls = 0;
  /** The last call of `openAt`, unless its window was closed: what is read for an earlier one is ignored. */
  #opening: object | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  set isAtEnd(isAtEnd: boolean) {
    this.#isAtEnd = isAtEnd;
    this.#parts.timeline.setAtEnd(isAtEnd);
    this.#trim();
  }

  async follow(): Promise<void> {
    const { alarm, signal, timeline, page, random } = this.#parts;
    let rowsBehind = 0;
    for (let failures = 0; ; ) {
      const waiting = alarm.signal;
      try {
        rowsBehind = await this.#readNews(rowsBehind, waiting);
        failures = 0;
        this.#setOnline(true);
        // A hidden page reads from time to time.
        if (page?.isHidden && !timeline.getSnapshot().catchingUp) await alarm.sleep(page.hiddenMs);
      } catch (error) {
        signal.throwIfAborted();
        if (waiting.aborted) continue;
        if (isRefusal(error)) throw error;
        this.#setOnline(false);
        await alarm.sleep(retryDelay(error, failures, random));
        failures += 1;
      }
    }
  }

  refresh(): void {
    this.#isUrgent = true;
    this.#parts.alarm.ring();
  }

  async older(): Promise<void> {
    const { state, timeline } = this.#parts;
    if (state.current.loadingOlder) return;
    state.set({ loadingOlder: true });
    try {
      for (let asked = timeline.askOlder(); asked; asked = timeline.askOlder()) {
        if (timeline.older(asked, await readPage(this.#parts, asked.cursor))) return;
      }
    } finally {
      state.set({ loadingOlder: false });
    }
  }

  /** Opens the detached window around a time, unless nothing was stored since then, or another call comes before the answer. */
  async openAt(time: string): Promise<void> {
    const { timeline } = this.#parts;
    const opening = {};
    this.#opening = opening;
    const since = new Date(Date.parse(time) - 1).toISOString();
    for (let asked = timeline.askDetached(); asked; asked = timeline.askDetached()) {
      const part = await readAfter(this.#parts, since);
      if (!part || opening !== this.#opening) return;
      if (timeline.openDetached(asked, part.rows, part.hasOlder)) return;
    }
  }

  closeDetached(): void {
    this.#opening = undefined;
    this.#parts.timeline.closeDetached();
  }

  async detachedOlder(): Promise<void> {
    const { timeline } = this.#parts;
    const asked = timeline.askDetachedOlder();
    if (asked) timeline.detachedOlder(asked, await readPage(this.#parts, asked.cursor));
  }

  async detachedNewer(): Promise<void> {
    const { timeline } = this.#parts;
    const asked = timeline.askDetachedNewer();
    const part = asked && (await readAfter(this.#parts, asked.since));
    if (part) timeline.detachedNewer(asked, part.rows);
  }

  #setOnline(isOnline: boolean): void {
    const { state } = this.#parts;
    this.#isUrgent = !isOnline;
    if (isOnline !== state.current.isOnline) state.set({ isOnline });
  }

  /** Reads what is new, or waits for it. Returns how many rows arrived since the client was last up to date. */
  async #readNews(rowsBehind: number, waiting: AbortSignal): Promise<number> {
    const { api, timeline, timing, page, sessionId } = this.#parts;
    const asked = timeline.askLatest();
    if (!asked) {
      timeline.first(await readPage(this.#parts));
      return 0;
    }
    const isUrgent = this.#isUrgent || page?.isHidden || timeline.getSnapshot().catchingUp;
    if (!isUrgent && rowsBehind === 0) {
      if (this.#polls === 0) return await this.#readStream(asked, waiting);
      this.#polls -= 1;
    }
    const wait = isUrgent ? 0 : timing.waitSeconds;
    const query = { since: asked.since, limit: LATEST_ROWS, wait };
    const answer = await api.messages.latest(sessionId, { ...query, signal: waiting });
    const rows = rowsBehind + answer.items.length;
    if (answer.reset || (answer.hasMore && rows >= MAX_ROWS_BEHIND)) {
      timeline.reset();
      return 0;
    }
    timeline.latest(asked, answer);
    this.#trim();
    return answer.hasMore ? rows : 0;
  }

  /**
   * Reads a stream until it ends, or rows may be missing. Then requests follow that wait: one, and twice as many, up to 32,
   * after each stream in a row that does not get through, for example because a proxy holds it back.
   */
  async #readStream(asked: LatestAsk, waiting: AbortSignal): Promise<number> {
    const { api, timeline, timing, sessionId } = this.#parts;
    const opening = new AbortController();
    const timer = setTimeout(() => opening.abort(), timing.streamMs);
    const signal = AbortSignal.any([waiting, opening.signal]);
    let failures = this.#failedStreams + 1;
    try {
      for await (const arrived of api.arrivals(sessionId, { since: asked.since, signal })) {
        clearTimeout(timer);
        failures = 0;
        this.#take(asked, arrived);
        if (timeline.getSnapshot().catchingUp) break;
      }
    } catch {
      // The next request says whether the API can be reached.
      waiting.throwIfAborted();
    } finally {
      clearTimeout(timer);
    }
    this.#failedStreams = failures;
    this.#polls = 2 ** Math.min(failures, 5);
    return 0;
  }

  #take(asked: LatestAsk, arrived: readonly StreamedMessage[]): void {
    const { timeline } = this.#parts;
    const last = arrived.at(-1);
    if (!last) return;
    const items = arrived.flatMap(({ message }) => message ?? []);
    if (items.length < arrived.length) timeline.reset();
    timeline.latest(asked, { items, nextSince: last.position, hasMore: false });
    this.#trim();
  }

  #trim(): void {
    const { timeline } = this.#parts;
    const { items } = timeline.getSnapshot();
    if (this.#isAtEnd && items.length > WINDOW_ROWS + SURPLUS_ROWS) timeline.trim(WINDOW_ROWS);
  }
}
