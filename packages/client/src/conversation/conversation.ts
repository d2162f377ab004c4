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
import { RoomAttendance, type RoomState } from './room-attendance.ts';

export interface ConversationOptions {
  /** Without a room the conversation reads the stored history, and sends by the API. */
  readonly room?: Room | undefined;
  readonly timing?: Partial<ConversationTiming> | undefined;
}

/**
 * `idle`: not open. `connecting`: the first page or the room is still missing. `live`: both are there. `reconnecting`: the
 * room was lost. `offline`: the API does not answer.
 */
export type LiveConnection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'offline';

/** The live end of a conversation, and its state. */
export interface ConversationSnapshot extends TimelineSnapshot {
  readonly loadingOlder: boolean;
  readonly connection: LiveConnection;
  /** Why the API refused to go on. The conversation is closed then. */
  readonly error: ApiError | null;
}

/** The user whose token the client has. */
type Self = Awaited<ReturnType<ConversationApi['auth']['me']>>;

/**
 * A session as one of its participants sees it: the history, the room and our own messages in one list. Open it, and close it
 * at the end: that leaves the room.
 */
export class Conversation implements AsyncDisposable {
  /** The list, in the shape that React's `useSyncExternalStore` takes. */
  readonly timeline = {
    /** Calls `listener` once after each round of changes, in a microtask. Returns a function that ends the subscription. */
    subscribe: (listener: () => void): (() => void) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    /** Returns the live end of the conversation: the same object until something changes. */
    getSnapshot: (): ConversationSnapshot => this.#getSnapshot(),
    /** Returns the part of the history that `at` opened; undefined when there is none. */
    getDetachedSnapshot: (): DetachedSnapshot | undefined => this.#timeline.getDetachedSnapshot(),
  };
  readonly #api: ConversationApi;
  readonly #timeline = new Timeline();
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #reader: HistoryReader;
  readonly #link: RoomAttendance | undefined;
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
    this.#link = room && new RoomAttendance(parts, room, (state) => this.#setRoomState(state));
    this.#outbox = new Outbox(parts, () =>
      this.#roomState === 'joined' ? this.#link?.connection : undefined,
    );
    this.#timeline.subscribe(() => this.#changed());
  }

  /** Reads the newest page, joins the room, and follows both. Resolves when the page is there. Throws what the API refuses. */
  async open(): Promise<void> {
    this.#opened ??= this.#open();
    await this.#opened;
  }

  /**
   * Sends a text message, and returns its id. The list shows whether it is stored. Throws a RangeError for an empty message,
   * and for one of more than 32,000 bytes.
   */
  async say(content: string): Promise<string> {
    this.#requireOpen();
    const { id, name } = await this.#me();
    const identity = this.#link?.connection?.identity ?? `user-${id}`;
    return this.#outbox.say(content, { identity, name, sid: null, kind: 'standard' });
  }

  /** Sends a message that is `failed` or `unrecorded` once more, under its id. Returns false when there is no such message. */
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

  /** Opens the part of the history around a time (ISO 8601), beside the live end. */
  async at(time: string): Promise<void> {
    await this.#reader.openAt(time);
  }

  /** Reads the page before the detached part. */
  async detachedOlder(): Promise<void> {
    await this.#reader.detachedOlder();
  }

  /** Reads the page after the detached part. When the part meets the live end, the two become one. */
  async detachedNewer(): Promise<void> {
    await this.#reader.detachedNewer();
  }

  /** Closes the detached part. */
  closeDetached(): void {
    this.#timeline.closeDetached();
  }

  /** Sets whether the reader sees the end of the list. If so, new messages are not `unseen`, and old ones may be dropped. */
  setAtEnd(isAtEnd: boolean): void {
    this.#reader.isAtEnd = isAtEnd;
  }

  /** Reads at once what is new. Call it when a page returns from the background or from being offline. */
  refresh(): void {
    this.#reader.refresh();
  }

  /** Sends what is not stored yet, leaves the room, and ends all requests. */
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
      // `say` asks once more.
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

  /** Waits for a task, and closes the conversation when the API refuses to go on. */
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

  /** Returns the user whose token the client has, read once. */
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

  #connection(): LiveConnection {
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
