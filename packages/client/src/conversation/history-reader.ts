import { isApiError, isRefusal } from '../http/api-error.ts';
import { retryDelay } from '../http/retry.ts';
import type { StreamedMessage } from '../resources/message-stream.ts';
import type { Message } from '../shapes.ts';
import type { LatestAsk } from '../timeline/catch-up.ts';
import { compareTimes } from '../timeline/stored-row.ts';
import type { HistoryPage, OlderAsk } from '../timeline/windows.ts';
import type { ConversationParts } from './parts.ts';

const PAGE_ROWS = 100;
/** Smaller than a page, so that the page before the newest of these rows reaches back past their beginning. */
const EDGE_ROWS = 50;
const LATEST_ROWS = 500;
/** A client that is further behind starts again with the newest page. */
const MAX_ROWS_BEHIND = 2000;
const WINDOW_ROWS = 5000;
const SURPLUS_ROWS = 500;

export class HistoryReader {
  readonly #parts: ConversationParts;
  #isAtEnd = true;
  #isUrgent = false;
  #failedStreams = 0;
  #polls = 0;
  /** Identifies the last call of `at`, unless its window was closed. Answers to earlier calls are ignored. */
  #opening: object | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  setAtEnd(isAtEnd: boolean): void {
    this.#isAtEnd = isAtEnd;
    this.#parts.timeline.setAtEnd(isAtEnd);
    this.#trim();
  }

  async follow(): Promise<void> {
    const { alarm, signal, timeline, page, random } = this.#parts;
    let rowsBehind = 0;
    let hasRead = false;
    for (let failures = 0; ; ) {
      const waiting = alarm.signal;
      try {
        rowsBehind = await this.#readNews(rowsBehind, waiting);
        failures = 0;
        hasRead = true;
        // A hidden page reads only from time to time.
        if (page?.isHidden && !timeline.getSnapshot().catchingUp) await alarm.sleep(page.hiddenMs);
      } catch (error) {
        signal.throwIfAborted();
        if (waiting.aborted) continue;
        if (isRefusal(error, hasRead)) throw error;
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
        const page = await this.#readBefore(asked, () => {
          timeline.reset();
          this.refresh();
        });
        if (page && timeline.older(asked, page)) return;
      }
    } finally {
      state.set({ loadingOlder: false });
    }
  }

  async at(time: string): Promise<void> {
    const { state, timeline } = this.#parts;
    const opening = {};
    this.#opening = opening;
    const since = new Date(Date.parse(time) - 1).toISOString();
    await state.until(() => timeline.askLatest() !== undefined);
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
    const page = asked && (await this.#readBefore(asked, () => this.closeDetached()));
    if (page) timeline.detachedOlder(asked, page);
  }

  async detachedNewer(): Promise<void> {
    const { timeline } = this.#parts;
    const asked = timeline.askDetachedNewer();
    const part = asked && (await readAfter(this.#parts, asked.since));
    if (part) timeline.detachedNewer(asked, part.rows);
  }

  /**
   * Returns the page before `cursor`. If retention has deleted that row, returns undefined, and calls `forget` if the
   * list still has the row.
   */
  async #readBefore(
    { cursor, generation }: OlderAsk,
    forget: () => void,
  ): Promise<HistoryPage | undefined> {
    try {
      return await readPage(this.#parts, cursor);
    } catch (error) {
      if (!isApiError(error, 'invalid_cursor')) throw error;
      if (generation === this.#parts.timeline.askDetached()?.generation) forget();
      return undefined;
    }
  }

  /** Once the alarm has rung, only the answer to a newer request shows whether the API can be reached. */
  #noteAnswer(waiting: AbortSignal): void {
    if (!waiting.aborted) this.#setOnline(true);
  }

  #setOnline(isOnline: boolean): void {
    const { state } = this.#parts;
    this.#isUrgent = false;
    if (isOnline !== state.current.isOnline) state.set({ isOnline });
  }

  async #readNews(rowsBehind: number, waiting: AbortSignal): Promise<number> {
    const { api, state, timeline, timing, page, sessionId } = this.#parts;
    const asked = timeline.askLatest();
    if (!asked) {
      timeline.first(await readPage(this.#parts));
      this.#noteAnswer(waiting);
      return 0;
    }
    const isHurried = this.#isUrgent || !state.current.isOnline;
    const isUrgent = isHurried || page?.isHidden || timeline.getSnapshot().catchingUp;
    if (!isUrgent && rowsBehind === 0) {
      if (this.#polls === 0) return await this.#readStream(asked, waiting);
      this.#polls -= 1;
    }
    const wait = isUrgent ? 0 : timing.waitSeconds;
    const query = { since: asked.since, limit: LATEST_ROWS, wait, signal: waiting };
    const answer = await api.messages.latest(sessionId, query);
    this.#noteAnswer(waiting);
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
   * Reads a stream until rows may be missing, or until the stream ends. After its end, one waiting request follows. If streams
   * do not get through, for example because a proxy buffers them, the number of these requests doubles after each stream, up to
   * 32.
   */
  async #readStream(asked: LatestAsk, waiting: AbortSignal): Promise<number> {
    const { api, timeline, timing, sessionId, random, alarm } = this.#parts;
    const opening = new AbortController();
    const timer = setTimeout(() => opening.abort(), timing.streamMs);
    const signal = AbortSignal.any([waiting, opening.signal]);
    let failures = this.#failedStreams + 1;
    try {
      for await (const arrived of api.arrivals(sessionId, { since: asked.since, signal })) {
        clearTimeout(timer);
        failures = 0;
        this.#failedStreams = 0;
        this.#noteAnswer(waiting);
        this.#take(asked, arrived);
        this.#trim();
        if (timeline.getSnapshot().catchingUp) return 0;
      }
    } catch {
      // The next request shows whether the API can be reached.
      waiting.throwIfAborted();
    } finally {
      clearTimeout(timer);
    }
    this.#failedStreams = failures;
    this.#polls = 2 ** Math.min(failures, 5);
    // All streams of a server break at the same time, so their clients return at random times.
    if (failures === 0) await alarm.sleep(random() * timing.streamMs);
    return 0;
  }

  #take(asked: LatestAsk, arrived: readonly StreamedMessage[]): void {
    const { timeline } = this.#parts;
    const last = arrived.at(-1);
    if (!last) return;
    const items = arrived.flatMap(({ message }) => message ?? []);
    if (items.length < arrived.length) timeline.reset();
    timeline.latest(asked, { items, nextSince: last.position, hasMore: false });
  }

  #trim(): void {
    const { timeline } = this.#parts;
    const { items } = timeline.getSnapshot();
    if (items.length <= WINDOW_ROWS + SURPLUS_ROWS) return;
    // A reader who is not at the end keeps all rows, but at most 500 unstored messages of others.
    timeline.trim(this.#isAtEnd ? WINDOW_ROWS : Infinity);
  }
}

async function readPage(parts: ConversationParts, cursor?: string): Promise<HistoryPage> {
  const { api, sessionId, signal } = parts;
  return await api.messages.list(sessionId, { limit: PAGE_ROWS, cursor, signal });
}

async function findRowAfter(parts: ConversationParts, time: string): Promise<Message | undefined> {
  const { api, sessionId, signal } = parts;
  for (let since = time; ; ) {
    const query = { since, limit: EDGE_ROWS, signal };
    const { items, nextSince, hasMore } = await api.messages.latest(sessionId, query);
    // `latest` also lists rows from before the time that were completed after it.
    const after = items.filter(({ timestamp }) => timestamp > time);
    const newest = after.toSorted((a, b) => compareTimes(a.timestamp, b.timestamp)).at(-1);
    if (newest || !hasMore) return newest;
    since = nextSince;
  }
}

/**
 * Returns a row soon after a time, and the rows of the pages before it back to that time; undefined when no row is later.
 * Several pages are needed if rows were completed long after their time, because `latest` lists those rows later.
 */
async function readAfter(
  parts: ConversationParts,
  time: string,
): Promise<{ readonly rows: readonly Message[]; readonly hasOlder: boolean } | undefined> {
  const edge = await findRowAfter(parts, time);
  if (!edge) return undefined;
  const rows = [edge];
  for (let last = edge; last.timestamp > time; last = rows.at(-1) ?? edge) {
    const { items, nextCursor } = await readPage(parts, last.id);
    rows.push(...items);
    if (nextCursor === null) return { rows, hasOlder: false };
  }
  return { rows, hasOlder: true };
}
