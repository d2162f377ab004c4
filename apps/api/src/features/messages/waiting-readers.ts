import type * as db from '@session/db';
import type { LatestMessageRows } from '@session/db';
import { pause } from '@session/kit';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import { NotifiedSessions } from './notified-sessions.ts';
import { ReadsInTurn } from './reads-in-turn.ts';

export interface WaitingReadersOptions {
  /** These statements have no limit, because their turns have one: `limitMs`. */
  readonly messages: db.Bound<Pick<typeof db, 'latestMessagesOfReaders'>>;
  readonly limitMs: number;
  /**
   * These statements have a limit, because a frozen database must fail the readers instead of keeping them. They have
   * separate connections, because a late answer fails all readers at once.
   */
  readonly looks: db.Bound<Pick<typeof db, 'listFormerReaders' | 'listHeads'>>;
  readonly everyMs?: number;
  readonly now?: () => number;
}

interface Query {
  readonly sessionId: string;
  readonly userId: string;
  readonly since: string;
  readonly limit: number;
  readonly from: string | null;
  /** Whether the reader also follows the session's events. If so, a moved head ends the wait even without a message. */
  readonly events?: boolean;
}

type Latest = LatestMessageRows | undefined;

interface Reader extends Query {
  empty: LatestMessageRows;
  readonly until: number;
  readonly signal: AbortSignal;
  readonly answer: (latest: Latest) => void;
  readonly fail: (error: unknown) => void;
}

/** Half of the connections to the database. The other half is for requests that do not wait for messages. */
const READS_AT_ONCE = 5;
/** How often the memberships of all readers are checked, because the notification of a removal may be lost. */
const MEMBERS_EVERY_MS = 10_000;

/**
 * Holds requests until a message arrives. Writers notify in which sessions they stored (`stored`), and one statement
 * checks the heads of these sessions (`NotifiedSessions`). Readers of one session with the same `since`, `limit` and
 * `from` share one read.
 *
 * Ten thousand readers may come at once after a broken connection, or be woken at once. Their reads take turns.
 * Otherwise all of them would wait for the database until their limits, fail, and come again.
 */
export class WaitingReaders implements AsyncDisposable {
  readonly #messages: WaitingReadersOptions['messages'];
  readonly #looks: WaitingReadersOptions['looks'];
  readonly #reads: ReadsInTurn;
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #stop = new AbortController();
  readonly #notified: NotifiedSessions;
  #watching: Promise<void> | undefined;
  readonly #queued = new Set<string>();
  #checkMembersAt = 0;
  #rest = new AbortController();

  constructor(options: WaitingReadersOptions) {
    const { messages, limitMs, looks, everyMs = 100, now = () => performance.now() } = options;
    this.#messages = messages;
    this.#reads = new ReadsInTurn(limitMs, READS_AT_ONCE);
    this.#looks = looks;
    this.#notified = new NotifiedSessions(everyMs);
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
   * Waits until `latestMessages` has more than `empty`, and returns the result; undefined when the session was deleted, or
   * the reader is no longer a member. After `waitMs`, when `signal` aborts, or on disposal, returns the last result
   * without news. Throws when the database is away.
   */
  async wait(query: Query, empty: LatestMessageRows, waitMs: number, signal: AbortSignal) {
    if (signal.aborted || this.#stop.signal.aborted) return empty;
    const { promise, resolve, reject } = Promise.withResolvers<Latest>();
    const until = this.#now() + waitMs;
    const reader: Reader = { ...query, empty, until, signal, answer: resolve, fail: reject };
    const leave = () => this.#dismiss(reader);
    signal.addEventListener('abort', leave, { once: true });
    this.#admit(reader);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /**
   * Runs a read of a client that follows a session, in turns with other owners as `ReadsInTurn` does. Also throws
   * `unavailable` when the turn comes after `LONG_REQUEST_MS`, or after `signal` has aborted.
   */
  async inTurn<Result>(
    owner: string,
    read: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return await this.#reads.run(owner, read, { waitMs: LONG_REQUEST_MS, signal });
  }

  /** Checks at once the sessions that a notification names. `sessionIds` is its payload, empty for all sessions. */
  stored(sessionIds: string): void {
    const ids = sessionIds === '' ? [] : sessionIds.split(',');
    this.#notified.stored(ids);
    if (ids.length === 0) this.lookAtAll();
    for (const id of ids) if (this.#readers.has(id)) this.#lookAt(id);
  }

  lookAtAll(): void {
    this.#notified.storedAll();
    this.#rest.abort();
  }

  /** Checks one user again. Readers that were removed from the project get undefined. */
  async recheckMember(userId: string): Promise<void> {
    await this.#checkMembers(Array.from(this.#all()).filter((one) => one.userId === userId));
  }

  #lookAt(sessionId: string): void {
    this.#notified.lookAt(sessionId);
    this.#rest.abort();
  }

  #admit(reader: Reader): void {
    const others = this.#readers.get(reader.sessionId);
    if (others) others.add(reader);
    else this.#readers.set(reader.sessionId, new Set([reader]));
    if (this.#notified.wasNotifiedLately(reader.sessionId)) this.#lookAt(reader.sessionId);
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
    this.#notified.lookAtAll();
    while (this.#readers.size > 0 && !this.#stop.signal.aborted) {
      this.#rest = new AbortController();
      await this.#look(this.#notified.take(this.#readers));
      const now = this.#now();
      if (now >= this.#checkMembersAt) {
        this.#checkMembersAt = now + MEMBERS_EVERY_MS;
        await this.#checkMembers([...this.#all()]);
      }
      for (const reader of this.#all()) if (reader.until <= now) this.#dismiss(reader);
      const end = AbortSignal.any([this.#rest.signal, this.#stop.signal]);
      await pause(this.#everyMs, end);
    }
    this.#watching = undefined;
  }

  async #look(sessionIds: readonly string[]): Promise<void> {
    if (sessionIds.length === 0) return;
    try {
      const heads = await this.#looks.listHeads(sessionIds);
      const lastAt = new Map(heads.map((head) => [head.sessionId, head.lastAt]));
      for (const sessionId of sessionIds) this.#wake(sessionId, lastAt.get(sessionId));
    } catch (error) {
      // Also fails readers that came during the read: their turn would be next.
      this.#fail(this.#all(), error);
    }
  }

  async #checkMembers(asked: readonly Reader[]): Promise<void> {
    if (asked.length === 0) return;
    try {
      for (const index of await this.#looks.listFormerReaders(asked)) {
        const reader = asked[index];
        if (!reader) continue;
        this.#remove(reader);
        reader.answer(undefined);
      }
    } catch (error) {
      this.#fail(asked, error);
    }
  }

  #fail(readers: Iterable<Reader>, error: unknown): void {
    for (const reader of readers) {
      this.#remove(reader);
      reader.fail(error);
    }
  }

  #readersOf(sessionId: string): Reader[] {
    return [...(this.#readers.get(sessionId) ?? [])];
  }

  /**
   * Serves the readers of a session with news. A session without a `head` was deleted, and its readers must learn that.
   */
  #wake(sessionId: string, head: string | undefined): void {
    for (const reader of this.#readersOf(sessionId)) {
      if (head === undefined || head > reader.empty.lastAt) void this.#serve(reader);
    }
  }

  /**
   * Serves all readers that wait for the same `query` when the turn comes. Until then some may leave, and others may
   * come.
   */
  async #serve(query: Query): Promise<void> {
    const key = sharedBy(query);
    if (this.#queued.has(key)) return;
    this.#queued.add(key);
    let readers: Reader[] = [];
    try {
      const latest = await this.#reads.run(query.sessionId, async () => {
        this.#queued.delete(key);
        readers = this.#readersOf(query.sessionId).filter((one) => sharedBy(one) === key);
        for (const reader of readers) this.#remove(reader);
        const userIds = readers.map(({ userId }) => userId);
        if (userIds.length === 0) return new Map<string, LatestMessageRows>();
        return await this.#messages.latestMessagesOfReaders({ ...query, userIds });
      });
      for (const reader of readers) {
        const found = latest.get(reader.userId);
        const isNothing = found?.messages.length === 0 && !found.isReset;
        if (isNothing && !reader.events) this.#waitOn(reader, found);
        else reader.answer(found);
      }
    } catch (error) {
      for (const { fail } of readers) fail(error);
    }
  }

  /** Makes a reader wait again when an event, or a message that the reader may not read, has moved the head. */
  #waitOn(reader: Reader, empty: LatestMessageRows): void {
    reader.empty = empty;
    if (reader.signal.aborted || this.#stop.signal.aborted) this.#dismiss(reader);
    else this.#admit(reader);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const reader of this.#all()) this.#dismiss(reader);
    await this.#watching;
  }
}

function sharedBy({ sessionId, since, limit, from }: Query): string {
  return [sessionId, since, limit, from].join();
}
