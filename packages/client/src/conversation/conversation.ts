import { type ApiError, isApiError } from '../http/api-error.ts';
import type { DetachedSnapshot } from '../timeline/snapshot.ts';
import type { ConversationMode, ConversationSnapshot } from './conversation-state.ts';
import { HistoryReader } from './history-reader.ts';
import { Outbox } from './outbox.ts';
import {
  type ConversationApi,
  type ConversationOptions,
  type ConversationParts,
  partsOf,
} from './parts.ts';
import { RoomAttendance } from './room-attendance.ts';

type User = Awaited<ReturnType<ConversationApi['auth']['me']>>;

/**
 * The history, the room and our own messages of a session in one list. Open it, and close it at the end to leave the room.
 * `HistoryReader` reads and follows the stored history, `RoomAttendance` stays in the room and receives what is said, and
 * `Outbox` sends our messages, into the room while it is joined and otherwise through the API. All of them write into one
 * `Timeline`.
 */
export class Conversation implements AsyncDisposable {
  readonly timeline = {
    /** Calls `listener` once after each round of changes, in a microtask. Returns a function that ends the subscription. */
    subscribe: (listener: () => void): (() => void) => this.#parts.state.listeners.add(listener),
    /** Returns the same object until something changes. */
    getSnapshot: (): ConversationSnapshot => this.#parts.state.getSnapshot(),
    getDetachedSnapshot: (): DetachedSnapshot | undefined =>
      this.#parts.timeline.getDetachedSnapshot(),
  };
  readonly #parts: ConversationParts;
  readonly #closing = new AbortController();
  readonly #reader: HistoryReader;
  readonly #attendance: RoomAttendance | undefined;
  readonly #outbox: Outbox;
  readonly #readSelf: ReturnType<typeof selfReader>;
  #opened: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  #running: Promise<void> | undefined;

  constructor(
    api: ConversationApi,
    sessionId: string,
    options: ConversationOptions,
    random: () => number,
  ) {
    const { signal } = this.#closing;
    const parts = partsOf(api, sessionId, options, { random, signal });
    this.#parts = parts;
    this.#readSelf = selfReader(parts);
    this.#reader = new HistoryReader(parts);
    const { room } = options;
    const onJoined = () => {
      this.#outbox.sendAll();
      this.#reader.refresh();
    };
    this.#attendance = room && new RoomAttendance(parts, room, onJoined);
    this.#outbox = new Outbox(parts, () =>
      parts.state.current.roomState === 'joined' ? this.#attendance?.connection : undefined,
    );
  }

  /**
   * Begins to read and follow the history, and to join the room unless the mode is `history`. Resolves when the newest page has
   * been read. Throws the API's refusal, and an Error if the conversation is closed; create a new one then.
   */
  async open(): Promise<void> {
    this.#opened ??= this.#open();
    await this.#opened;
    this.#requireOpen();
  }

  /** Joins or leaves the room. Throws an Error if the conversation has no room or is closed. */
  setMode(mode: ConversationMode): void {
    this.#requireOpen();
    if (!this.#attendance) throw new Error('setMode needs a room');
    this.#attendance.setMode(mode);
  }

  /**
   * Sends a text message, and returns its id. The list shows whether the message is stored. The mode becomes `join`, unless it
   * is `operator`. Throws a RangeError if the message is empty, or larger than 32,000 bytes or than 62,000 bytes as JSON.
   */
  async say(content: string): Promise<string> {
    this.#requireOpen();
    const { mode } = this.#parts.state.current;
    const { id, name } = await this.#readSelf();
    const identity = this.#attendance?.connection?.identity ?? `user-${id}`;
    const participant = { identity, name, sid: null, kind: 'standard' } as const;
    const messageId = this.#outbox.say(content, participant, mode);
    // An operator may have handed the conversation back to the agents meanwhile.
    if (mode !== 'operator') this.#attendance?.takePart();
    return messageId;
  }

  /** Sends a message that is `failed` or `unrecorded` again, under the same id. Returns false when there is none. */
  sayAgain(id: string): boolean {
    this.#requireOpen();
    const isSent = this.#outbox.sayAgain(id);
    if (isSent) this.#attendance?.takePart();
    return isSent;
  }

  /** Reads the page before the first item. If retention has deleted that item, the list starts again with the newest page. */
  async older(): Promise<void> {
    await this.#reader.older();
  }

  /**
   * Opens the part of the history around a time (ISO 8601), in addition to the live end, which is loaded first. A later call
   * replaces that part.
   */
  async at(time: string): Promise<void> {
    await this.#reader.at(time);
  }

  async detachedOlder(): Promise<void> {
    await this.#reader.detachedOlder();
  }

  /** Reads the page after the detached part. When the part meets the live end, the two become one. */
  async detachedNewer(): Promise<void> {
    await this.#reader.detachedNewer();
  }

  closeDetached(): void {
    this.#reader.closeDetached();
  }

  /**
   * Sets whether the reader sees the end of the list. If so, new messages are not `unseen`, and old ones may be dropped.
   * Otherwise only messages that are not stored may be dropped.
   */
  setAtEnd(isAtEnd: boolean): void {
    this.#reader.setAtEnd(isAtEnd);
  }

  /**
   * Reads what is new and rejoins a lost room, without waiting any longer. For a page that returns from the background, from
   * sleep, or from being offline.
   */
  refresh(): void {
    this.#reader.refresh();
    this.#parts.api.retryNow();
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
    const { state, timeline, page, signal } = this.#parts;
    state.set({ isOpen: true });
    page?.watch(() => this.refresh(), signal);
    const tasks = [this.#reader.follow(), this.#attendance?.attend()];
    this.#running = runTasks(tasks, signal, (refusal) => {
      state.set({ error: refusal });
      void this.close();
    });
    this.#readSelf().catch(() => {
      // `say` asks again.
    });
    await state.until(() => timeline.askLatest() !== undefined);
    const { error } = state.current;
    if (error) throw error;
    signal.throwIfAborted();
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#parts.state.set({ isOpen: false });
    await this.#outbox.settled();
    await this.#running;
    await this.#attendance?.leave();
  }

  #requireOpen(): void {
    if (this.#closing.signal.aborted) throw new Error('the conversation is closed');
  }
}

async function runTasks(
  tasks: readonly (Promise<void> | undefined)[],
  signal: AbortSignal,
  onRefused: (error: ApiError) => void,
): Promise<void> {
  const watch = async (task: Promise<void> | undefined) => {
    try {
      await task;
    } catch (error) {
      if (signal.aborted) return;
      if (!isApiError(error)) throw error;
      onRefused(error);
    }
  };
  await Promise.all(tasks.map(watch));
}

function selfReader({ api, signal }: ConversationParts): () => Promise<User> {
  let user: Promise<User> | undefined;
  return async () => {
    user ??= api.auth.me({ signal });
    // A failure is not cached.
    return await user.catch((error: unknown) => {
      user = undefined;
      throw error;
    });
  };
}
