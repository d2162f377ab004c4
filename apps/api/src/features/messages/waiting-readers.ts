import type { LatestMessageRows, MessageQueries } from '@session/db';
import { repeat } from '@session/kit';

export interface WaitingReadersOptions {
  /** Statements with a limit: a frozen database must fail the readers instead of keeping them. */
  readonly messages: Pick<MessageQueries, 'listHeads' | 'latestMessagesOfReaders'>;
  readonly everyMs?: number;
  /** A clock that only goes forward, in milliseconds. */
  readonly now?: () => number;
}

/** What a reader asked for. */
interface Query {
  readonly sessionId: string;
  readonly userId: string;
  readonly since: string;
  readonly limit: number;
}

type Latest = LatestMessageRows | undefined;

interface Reader extends Query {
  /** The answer when no message comes. */
  readonly empty: LatestMessageRows;
  readonly until: number;
  readonly answer: (latest: Latest) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Holds the requests of readers whose answer was empty until a message arrives. While there are any, one statement every
 * `everyMs` looks at the heads of exactly their sessions, so writers have nothing to do for readers. Readers that wait in one
 * session from the same `since` are served by one read.
 */
export class WaitingReaders implements AsyncDisposable {
  readonly #messages: WaitingReadersOptions['messages'];
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #stop = new AbortController();
  #watching: Promise<void> | undefined;

  constructor({ messages, everyMs = 100, now = () => performance.now() }: WaitingReadersOptions) {
    this.#messages = messages;
    this.#everyMs = everyMs;
    this.#now = now;
  }

  /** The number of sessions with readers. */
  get sessionCount(): number {
    return this.#readers.size;
  }

  /** The number of readers. */
  get length(): number {
    return Array.from(this.#all()).length;
  }

  /**
   * Returns what `latestMessages` returns to the reader as soon as that is more than `empty`, its result of just now. Returns
   * `empty` itself after `waitMs`, when `signal` aborts, or when this object is disposed of. Throws when the database is away.
   */
  async wait(query: Query, empty: LatestMessageRows, waitMs: number, signal: AbortSignal) {
    if (signal.aborted || this.#stop.signal.aborted) return empty;
    const { promise, resolve, reject } = Promise.withResolvers<Latest>();
    const until = this.#now() + waitMs;
    const reader = { ...query, empty, until, answer: resolve, fail: reject };
    const leave = () => this.#dismiss(reader);
    signal.addEventListener('abort', leave, { once: true });
    this.#admit(reader);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #admit(reader: Reader): void {
    const others = this.#readers.get(reader.sessionId);
    if (others) others.add(reader);
    else this.#readers.set(reader.sessionId, new Set([reader]));
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

  /** Runs while there are readers. */
  async #watch(): Promise<void> {
    const idle = new AbortController();
    const end = AbortSignal.any([idle.signal, this.#stop.signal]);
    await repeat(this.#everyMs, end, async () => {
      await this.#look();
      if (this.#readers.size === 0) idle.abort();
    });
    this.#watching = undefined;
    // A reader may have come while the loop ended.
    if (this.#readers.size > 0) this.#watching = this.#watch();
  }

  async #look(): Promise<void> {
    const sessionIds = [...this.#readers.keys()];
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
    const now = this.#now();
    for (const reader of this.#all()) if (reader.until <= now) this.#dismiss(reader);
  }

  #readersOf(sessionId: string): Reader[] {
    return [...(this.#readers.get(sessionId) ?? [])];
  }

  /** Serves the readers of a session with news. A session without a `head` was deleted, and its readers must learn that. */
  #wake(sessionId: string, head: string | undefined): void {
    const woken = this.#readersOf(sessionId).filter(
      ({ empty }) => head === undefined || head > empty.lastAt,
    );
    const groups = Map.groupBy(woken, ({ since, limit }) => [since, limit].join());
    for (const reader of woken) this.#remove(reader);
    for (const readers of groups.values()) void this.#serve(readers);
  }

  async #serve(readers: readonly Reader[]): Promise<void> {
    const [query] = readers;
    if (!query) return;
    const userIds = readers.map(({ userId }) => userId);
    try {
      const latest = await this.#messages.latestMessagesOfReaders({ ...query, userIds });
      for (const { userId, answer } of readers) answer(latest.get(userId));
    } catch (error) {
      for (const { fail } of readers) fail(error);
    }
  }

  /** Answers all readers at once with the empty answer. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const reader of this.#all()) this.#dismiss(reader);
    await this.#watching;
  }
}
