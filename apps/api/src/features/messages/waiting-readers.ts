import type * as db from '@session/db';
import type { LatestMessageRows } from '@session/db';
import { pause } from '@session/kit';

export interface WaitingReadersOptions {
  /** Statements with a limit: a frozen database must fail the readers instead of keeping them. */
  readonly messages: db.Bound<Pick<typeof db, 'listHeads' | 'latestMessagesOfReaders'>>;
  readonly everyMs?: number;
  readonly now?: () => number;
}

interface Query {
  readonly sessionId: string;
  readonly userId: string;
  readonly since: string;
  readonly limit: number;
  readonly from: string | null;
  /** The reader asks for the session's events too: it also learns that the clock of the session has moved, without a message. */
  readonly events?: boolean;
}

type Latest = LatestMessageRows | undefined;

interface Reader extends Query {
  readonly empty: LatestMessageRows;
  /** The time of the head when the reader found nothing. */
  lastAt: string;
  readonly until: number;
  readonly signal: AbortSignal;
  readonly answer: (latest: Latest) => void;
  readonly fail: (error: unknown) => void;
}

const RARER = 10;
/** How long after a notification a reader may begin to wait that read before the messages were stored. */
const NEWS_MS = 1000;

/**
 * Holds requests until a message arrives. Writers notify in which sessions they stored (`stored`), and one statement
 * looks at these heads. As notifications may be lost, all heads are looked at once a second, or every `everyMs` until
 * the first one. Readers of one session from the same `since` share one read.
 */
export class WaitingReaders implements AsyncDisposable {
  readonly #messages: WaitingReadersOptions['messages'];
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #stop = new AbortController();
  #watching: Promise<void> | undefined;
  readonly #due = new Set<string>();
  /** The oldest first. */
  readonly #stored = new Map<string, number>();
  #allStoredAt = -Infinity;
  #hasNotifications = false;
  /** As all times here, by `performance.now`. */
  #lookAllAt = 0;
  #rest = new AbortController();

  constructor({ messages, everyMs = 100, now = () => performance.now() }: WaitingReadersOptions) {
    this.#messages = messages;
    this.#everyMs = everyMs;
    this.#now = now;
  }

  get sessionCount(): number {
    return this.#readers.size;
  }

  get length(): number {
    return Array.from(this.#all()).length;
  }

  /**
   * Returns what `latestMessages` returns as soon as that is more than `empty`; `empty` itself after `waitMs`, when
   * `signal` aborts, or on disposal. Throws when the database is away.
   */
  async wait(query: Query, empty: LatestMessageRows, waitMs: number, signal: AbortSignal) {
    if (signal.aborted || this.#stop.signal.aborted) return empty;
    const { promise, resolve, reject } = Promise.withResolvers<Latest>();
    const until = this.#now() + waitMs;
    const { lastAt } = empty;
    const reader: Reader = {
      ...query,
      empty,
      lastAt,
      until,
      signal,
      answer: resolve,
      fail: reject,
    };
    const leave = () => this.#dismiss(reader);
    signal.addEventListener('abort', leave, { once: true });
    this.#admit(reader);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Looks now at the sessions that a notification names: `sessionIds` is its payload, empty for all of them. */
  stored(sessionIds: string): void {
    this.#hasNotifications = true;
    if (sessionIds === '') {
      this.lookAtAll();
      return;
    }
    const now = performance.now();
    for (const [id, at] of this.#stored) {
      if (at > now - NEWS_MS) break;
      this.#stored.delete(id);
    }
    for (const id of sessionIds.split(',')) {
      // Deleted first, so that the oldest stay in front.
      this.#stored.delete(id);
      this.#stored.set(id, now);
      if (this.#readers.has(id)) this.#lookAt(id);
    }
  }

  lookAtAll(): void {
    this.#allStoredAt = performance.now();
    this.#lookAllAt = 0;
    this.#rest.abort();
  }

  /** A reader who was removed from the project gets undefined; one who waits in another project no messages. */
  recheckMember(userId: string): void {
    const asked = Array.from(this.#all()).filter((reader) => reader.userId === userId);
    for (const reader of asked) this.#remove(reader);
    this.#serveGroups(asked, true);
  }

  #lookAt(sessionId: string): void {
    this.#due.add(sessionId);
    this.#rest.abort();
  }

  #admit(reader: Reader): void {
    const others = this.#readers.get(reader.sessionId);
    if (others) others.add(reader);
    else this.#readers.set(reader.sessionId, new Set([reader]));
    const storedAt = Math.max(this.#stored.get(reader.sessionId) ?? -Infinity, this.#allStoredAt);
    if (storedAt > performance.now() - NEWS_MS) this.#lookAt(reader.sessionId);
    this.#watching ??= this.#watch();
  }

  #remove(reader: Reader): void {
    const readers = this.#readers.get(reader.sessionId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#readers.delete(reader.sessionId);
  }

  #dismiss(reader: Reader): void {
    this.#remove(reader);
    reader.answer(reader.empty);
  }

  *#all(): Generator<Reader> {
    for (const readers of this.#readers.values()) yield* readers;
  }

  async #watch(): Promise<void> {
    this.#lookAllAt = 0;
    while (this.#readers.size > 0 && !this.#stop.signal.aborted) {
      this.#rest = new AbortController();
      await this.#look(this.#takeDue());
      const now = this.#now();
      for (const reader of this.#all()) if (reader.until <= now) this.#dismiss(reader);
      const end = AbortSignal.any([this.#rest.signal, this.#stop.signal]);
      await pause(this.#everyMs, end);
    }
    this.#watching = undefined;
  }

  #takeDue(): string[] {
    const due = [...this.#due].filter((id) => this.#readers.has(id));
    this.#due.clear();
    if (performance.now() < this.#lookAllAt) return due;
    const everyMs = this.#hasNotifications ? this.#everyMs * RARER : this.#everyMs;
    this.#lookAllAt = performance.now() + everyMs;
    return [...this.#readers.keys()];
  }

  async #look(sessionIds: readonly string[]): Promise<void> {
    if (sessionIds.length === 0) return;
    try {
      const heads = await this.#messages.listHeads(sessionIds);
      const lastAt = new Map(heads.map((head) => [head.sessionId, head.lastAt]));
      for (const sessionId of sessionIds) this.#wake(sessionId, lastAt.get(sessionId));
    } catch (error) {
      // This also fails readers who came during the read: their turn would be next.
      for (const reader of this.#all()) {
        this.#remove(reader);
        reader.fail(error);
      }
    }
  }

  #readersOf(sessionId: string): Reader[] {
    return [...(this.#readers.get(sessionId) ?? [])];
  }

  /** Serves the readers of a session with news. A session without a `head` was deleted, and its readers must learn that. */
  #wake(sessionId: string, head: string | undefined): void {
    const woken = this.#readersOf(sessionId).filter(
      ({ lastAt }) => head === undefined || head > lastAt,
    );
    for (const reader of woken) this.#remove(reader);
    this.#serveGroups(woken, false);
  }

  #serveGroups(all: readonly Reader[], answerAll: boolean): void {
    const groups = Map.groupBy(all, ({ sessionId, since, limit, from }) =>
      [sessionId, since, limit, from].join(),
    );
    for (const readers of groups.values()) void this.#serve(readers, answerAll);
  }

  async #serve(readers: readonly Reader[], answerAll: boolean): Promise<void> {
    const [query] = readers;
    if (!query) return;
    const userIds = readers.map(({ userId }) => userId);
    try {
      const latest = await this.#messages.latestMessagesOfReaders({ ...query, userIds });
      for (const reader of readers) {
        const found = latest.get(reader.userId);
        const isNothing = found?.messages.length === 0 && !found.isReset;
        if (isNothing && !answerAll && !reader.events) this.#waitOn(reader, found);
        else reader.answer(found);
      }
    } catch (error) {
      for (const { fail } of readers) fail(error);
    }
  }

  /** An event moved the head, or a message that the reader may not read. */
  #waitOn(reader: Reader, { lastAt }: LatestMessageRows): void {
    if (reader.signal.aborted || this.#stop.signal.aborted) this.#dismiss(reader);
    else this.#admit(Object.assign(reader, { lastAt }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const reader of this.#all()) this.#dismiss(reader);
    await this.#watching;
  }
}
