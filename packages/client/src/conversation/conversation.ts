import { type ApiError, isApiError } from '../http/api-error.ts';
import type { DetachedSnapshot, TimelineSnapshot } from '../timeline/snapshot.ts';
import { Timeline } from '../timeline/timeline.ts';
import { HistoryReader } from './history-reader.ts';
import { Outbox } from './outbox.ts';
import {
  type ConversationApi,
  type ConversationParts,
  type ConversationTiming,
  TIMING,
} from './parts.ts';
import type { Room } from './room.ts';
import { RoomLink, type RoomState } from './room-link.ts';

export interface ConversationOptions {
  /** Without one the conversation has the stored history, and says what it says by the API. */
  readonly room?: Room | undefined;
  readonly timing?: Partial<ConversationTiming> | undefined;
}

/**
 * `idle`: not open. `connecting`: the history or the room is not there yet. `live`: both are. `reconnecting`: the room was
 * lost. `offline`: the API does not answer.
 */
export type ConnectionState = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'offline';

/** What a page shows of a conversation. */
export interface ConversationSnapshot extends TimelineSnapshot {
  readonly loadingOlder: boolean;
  readonly connection: ConnectionState;
  /** What the API has refused for good: the conversation stands still. */
  readonly error: ApiError | null;
}

/** The caller. */
type Self = Awaited<ReturnType<ConversationApi['auth']['me']>>;

/**
 * One session as its participant sees it: the history, the room and our own words in one list. Open it once, and close it:
 * that leaves the room.
 */
export class Conversation implements AsyncDisposable {
  /** The list, as React's `useSyncExternalStore` takes it. */
  readonly timeline = {
    /** Calls `listener` once after each round of changes, in a microtask. Returns a function that ends the subscription. */
    subscribe: (listener: () => void): (() => void) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    /** Returns the live end of the conversation: the same object until something changes. */
    getSnapshot: (): ConversationSnapshot => this.#getSnapshot(),
    /** Returns the part of the history that `at` has opened; undefined when there is none. */
    getDetachedSnapshot: (): DetachedSnapshot | undefined => this.#timeline.getDetachedSnapshot(),
  };
  readonly #api: ConversationApi;
  readonly #timeline = new Timeline();
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #reader: HistoryReader;
  readonly #link: RoomLink | undefined;
  readonly #outbox: Outbox;
  #opened: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #self: Promise<Self> | undefined;
  #roomState: RoomState;
  #isOnline = true;
  #isLoadingOlder = false;
  #error: ApiError | null = null;
  #list: TimelineSnapshot | undefined;
  #snapshot: ConversationSnapshot | undefined;
  #isNotifying = false;

  constructor(
    api: ConversationApi,
    sessionId: string,
    { room, timing }: ConversationOptions,
    random: () => number,
  ) {
    this.#api = api;
    const parts: ConversationParts = {
      api,
      sessionId,
      timeline: this.#timeline,
      timing: { ...TIMING, ...timing },
      random,
      signal: this.#closing.signal,
    };
    this.#reader = new HistoryReader(parts, (isOnline) => {
      if (isOnline === this.#isOnline) return;
      this.#isOnline = isOnline;
      this.#changed();
    });
    this.#roomState = room ? 'joining' : 'outside';
    this.#link = room && new RoomLink(parts, room, (state) => this.#setRoomState(state));
    this.#outbox = new Outbox(parts, () =>
      this.#roomState === 'joined' ? this.#link?.connection : undefined,
    );
    this.#timeline.subscribe(() => this.#changed());
  }

  /** Reads the newest page, goes into the room, and follows both. Resolves with the page; throws what the API refuses. */
  async open(): Promise<void> {
    this.#opened ??= this.#open();
    await this.#opened;
  }

  /**
   * Says something, and returns the message's id when it is on its way. The list shows what becomes of it. Throws a RangeError
   * for nothing, and for more than 32,000 bytes.
   */
  async say(content: string): Promise<string> {
    this.#requireOpen();
    const { id, name } = await this.#me();
    const identity = this.#link?.connection?.identity ?? `user-${id}`;
    return this.#outbox.say(content, { identity, name, sid: null, kind: 'standard' });
  }

  /** Says once more, under its id, what is `failed` or `unrecorded`; false when there is no such item. */
  sayAgain(id: string): boolean {
    this.#requireOpen();
    return this.#outbox.sayAgain(id);
  }

  /** Reads the page before the first item. */
  async older(): Promise<void> {
    if (this.#isLoadingOlder) return;
    this.#isLoadingOlder = true;
    this.#changed();
    try {
      await this.#reader.older();
    } finally {
      this.#isLoadingOlder = false;
      this.#changed();
    }
  }

  /** Opens a part of the history around a time (ISO 8601), beside the live end. Read on with `detachedOlder` and `-Newer`. */
  async at(time: string): Promise<void> {
    await this.#reader.openAt(time);
  }

  async detachedOlder(): Promise<void> {
    await this.#reader.detachedOlder();
  }

  /** Reads what follows the detached part. When that meets the live end, they become one. */
  async detachedNewer(): Promise<void> {
    await this.#reader.detachedNewer();
  }

  closeDetached(): void {
    this.#timeline.closeDetached();
  }

  /** Says whether the reader sees the end of the list: then new items are not `unseen`, and old ones may be forgotten. */
  setAtEnd(isAtEnd: boolean): void {
    this.#reader.isAtEnd = isAtEnd;
  }

  /** Asks at once what is new: for a page that comes back from the background, or from being offline. */
  refresh(): void {
    this.#reader.refresh();
  }

  /** Ends all requests, sends what is not sent yet, and leaves the room. */
  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #open(): Promise<void> {
    this.#requireOpen();
    const tasks = [this.#reader.follow(), this.#link?.attend()].map((task) => this.#watch(task));
    this.#running = Promise.all(tasks);
    this.#me().catch(() => {
      // `say` asks again.
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (this.#timeline.askLatest() || this.#closed) resolve();
    };
    const leave = this.timeline.subscribe(look);
    await promise.finally(leave);
    if (this.#error) throw this.#error;
    this.#closing.signal.throwIfAborted();
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#changed();
    await this.#outbox.settled();
    await this.#running;
    await this.#link?.leave();
  }

  /** Waits for a task. What the API refuses for good ends the conversation. */
  async #watch(task: Promise<void> | undefined): Promise<void> {
    try {
      await task;
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      if (!isApiError(error)) throw error;
      this.#error = error;
      void this.close();
    }
  }

  /** Returns the caller, asked for once. */
  async #me(): Promise<Self> {
    this.#self ??= this.#api.auth.me({ signal: this.#closing.signal });
    try {
      return await this.#self;
    } catch (error) {
      this.#self = undefined;
      throw error;
    }
  }

  #requireOpen(): void {
    if (this.#closing.signal.aborted) throw new Error('the conversation is closed');
  }

  #setRoomState(state: RoomState): void {
    this.#roomState = state;
    if (state === 'joined') this.#reader.refresh();
    this.#changed();
  }

  #connection(): ConnectionState {
    if (!this.#opened || this.#closing.signal.aborted) return 'idle';
    if (!this.#isOnline) return 'offline';
    if (this.#roomState === 'lost') return 'reconnecting';
    const isReady = this.#timeline.askLatest() && this.#roomState !== 'joining';
    return isReady ? 'live' : 'connecting';
  }

  #getSnapshot(): ConversationSnapshot {
    const list = this.#timeline.getSnapshot();
    if (this.#snapshot && this.#list === list) return this.#snapshot;
    this.#list = list;
    this.#snapshot = {
      ...list,
      loadingOlder: this.#isLoadingOlder,
      connection: this.#connection(),
      error: this.#error,
    };
    return this.#snapshot;
  }

  #changed(): void {
    this.#snapshot = undefined;
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
