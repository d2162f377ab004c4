import type { LatestMessageRows, MessageQueries } from '@session/db';
import { repeat, withDeadline } from '@session/kit';

/** A database that is frozen is no answer: then it is 503 for all that wait. */
const TIMEOUT_MS = 2000;

export interface WaitingReadersOptions {
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
  /** What they get when nothing comes. */
  readonly empty: LatestMessageRows;
  readonly until: number;
  readonly answer: (latest: Latest) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Readers whose answer was empty, until something arrives. While there are any, one statement every `everyMs` looks at the
 * heads of just their sessions: nothing is asked of those who write. All that wait in a session from the same place are
 * served by one read.
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

  /** How many sessions somebody waits in. */
  get sessionCount(): number {
    return this.#readers.size;
  }

  /** How many readers wait. */
  get length(): number {
    return Array.from(this.#all()).length;
  }

  /**
   * Gives what `latestMessages` gives to the reader as soon as that is more than `empty`, which it gave just now; `empty`
   * itself after `waitMs`, or once `signal` aborts or we end. Throws when the database is away.
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

  /** Runs while somebody waits. */
  async #watch(): Promise<void> {
    const idle = new AbortController();
    const end = AbortSignal.any([idle.signal, this.#stop.signal]);
    await repeat(this.#everyMs, end, async () => {
      await this.#look();
      if (this.#readers.size === 0) idle.abort();
    });
    this.#watching = undefined;
    // Somebody may have come while it ended.
    if (this.#readers.size > 0) this.#watching = this.#watch();
  }

  async #look(): Promise<void> {
    const sessionIds = [...this.#readers.keys()];
    try {
      const found = this.#messages.listHeads(sessionIds);
      const heads = await withDeadline(found, TIMEOUT_MS);
      const lastAt = new Map(heads.map((head) => [head.sessionId, head.lastAt]));
      for (const sessionId of sessionIds) this.#wake(sessionId, lastAt.get(sessionId));
    } catch (error) {
      // Also those who have come meanwhile: they would be next.
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

  /** A session without a `head` was deleted: its readers are to be told so. */
  #wake(sessionId: string, head: string | undefined): void {
    const woken = this.#readersOf(sessionId).filter(
      ({ empty }) => head === undefined || head > empty.lastAt,
    );
    const groups = Map.groupBy(woken, ({ since, limit }) => [since, limit].join());
    for (const reader of woken) this.#remove(reader);
    for (const readers of groups.values()) void this.#serve(readers);
  }

  async #serve(readers: readonly Reader[]): Promise<void> {
    const [first] = readers;
    if (!first) return;
    const userIds = readers.map(({ userId }) => userId);
    try {
      const read = this.#messages.latestMessagesOfReaders({ ...first, userIds });
      const latest = await withDeadline(read, TIMEOUT_MS);
      for (const { userId, answer } of readers) answer(latest.get(userId));
    } catch (error) {
      for (const { fail } of readers) fail(error);
    }
  }

  /** Answers all that wait, at once, with what they had. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const reader of this.#all()) this.#dismiss(reader);
    await this.#watching;
  }
}
