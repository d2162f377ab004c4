import type {
  ChatMessageEvent,
  PacketEvent,
  RoomEvent,
  RoomMessage,
  TextStreamEvent,
} from '@session/contract/room';
import type { MessageQueries, NewMessageRow } from '@session/db';

/*
 * The path of a message through the recorder, as what each stage hands over to the next.
 *
 * | stage             | takes                | hands over                 | where                                |
 * |-------------------|----------------------|----------------------------|--------------------------------------|
 * | room              | what the SDK reports | `RoomEvent`                | `listenToRoom` of packages/media     |
 * | its state         | `RoomEvent`          | `ReceivedEvent`            | room/room-link.ts                    |
 * | one room of many  | `ReceivedEvent`      | `ReceivedEvent`            | room/room-connection.ts              |
 * | sender and order  | `ReceivedEvent`      | `RoomEvent` with a sender  | session/session-events.ts            |
 * | decision          | `RoomEvent`          | `RoomMessage`              | session/session-events.ts: `decode`  |
 * | leader or standby | a message without id | `StorableMessage`          | session/session-leadership.ts        |
 * | history writer    | `StorableMessage`    | batch of `QueuedMessage`   | history/history-writer.ts            |
 * | flush             | batch                | `NewMessageRow`            | history/batch-store.ts               |
 * | row               | `NewMessageRow`      | a row of the history       | `appendMessages` of packages/db      |
 * | page              | rows                 | `GET …/messages`           | `pageMessages` of packages/db        |
 *
 * A message whose id comes from the room goes from the decision to the history writer directly.
 *
 * Imports go one way: the root (main, deps, recorder) → slots → session → room and history. Neither of the last two knows
 * the other. Every stage may import config, timing and this file, which import no stage; so may they import process/,
 * which imports only config, timing and its own files.
 */

/** A room event, and how its room stood when the event came. */
export interface ReceivedEvent {
  readonly event: RoomEvent;
  /** Whether the connection was up. */
  readonly isConnected: boolean;
  /** The identities of all participants who had been announced; empty when the event names its sender. */
  readonly announced: ReadonlySet<string>;
}

/** Room → session: takes the events of a session's room, in the order in which the room reports them. */
export interface ReceivedEventReceiver {
  receive(received: ReceivedEvent): void;
}

/** Finds the sender of an event that came before its sender was announced. Neither method rejects. */
export interface SenderFinder {
  /**
   * Returns the event with its sender, after the joins of all participants who may have sent it. `announced` are the
   * participants who were known when the event came. The sender stays null when it cannot be found before `signal` aborts.
   */
  completeSender(
    event: PacketEvent | ChatMessageEvent,
    announced: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly RoomEvent[]>;
  /** As `completeSender` for a text stream, which names its sender, but only by identity. */
  completeTextSender(event: TextStreamEvent, signal: AbortSignal): Promise<readonly RoomEvent[]>;
}

/** Sender → order → decision: takes the events of a session whose senders are known, in order. */
export interface RoomEventReceiver {
  push(event: RoomEvent): void;
}

/**
 * A decided message. `intervalId` is set on a message that only the leader stores: the row is refused when another
 * recorder has become the leader meanwhile.
 */
export type StorableMessage = RoomMessage & Pick<NewMessageRow, 'intervalId'>;

/** Decision → leader or standby → history writer: takes decided messages. */
export interface MessageReceiver {
  push(message: StorableMessage): void;
}

/** What the stages before it may ask the history writer about a session's messages. */
export interface PendingMessages {
  /** Whether any message of the session is not stored yet. */
  has(sessionId: string): boolean;
  /** Resolves when no message of the session is pending any more, or when `signal` aborts. */
  stored(sessionId: string, signal: AbortSignal): Promise<void>;
}

/** Messages of a session that were received and could not be kept: the history has a gap where they were. */
export interface LostMessages {
  readonly kind: 'loss';
  readonly sessionId: string;
  /** Milliseconds since the epoch: when the first of them was received. */
  readonly receivedAt: number;
  /** Milliseconds since the epoch: when the last of them was received. */
  readonly until: number;
  readonly count: number;
}

/** What waits in the queue or in the spool: a message, or the mark that stands where messages were dropped. */
export type QueuedMessage = StorableMessage | LostMessages;

/** How many of a batch's first messages are settled: stored, or rejected for good. Without `error` all of them are. */
export interface StoreResult {
  readonly settled: number;
  readonly error?: unknown;
}

/** History writer → flush: stores a batch in its order, and never rejects. */
export interface BatchReceiver {
  store(batch: readonly QueuedMessage[]): Promise<StoreResult>;
}

/** Flush → row: the one statement that stores a batch. */
export type RowWriter = Pick<MessageQueries, 'appendMessages'>;
