import type {
  ChatMessageEvent,
  PacketEvent,
  PresenceEvent,
  RoomEvent,
  RoomMessage,
  TextStreamEvent,
} from '@session/contract/room';
import type { NewMessageRow } from '@session/db';
import type { PublishedTrack, TextName } from '@session/media';
import type { RecorderQueries } from './queries.ts';

/*
 * The path of a message through the recorder: what each stage takes, what it hands over to the next stage, and where.
 *
 *  1. room: what the SDK reports → `RoomEvent`. `listenToRoom` of packages/media/src/room/listen-to-room.ts.
 *  2. connection state: `RoomEvent` → `ReceivedEvent`. Adds whether the connection was up, and whom the server had
 *     announced in this room (only when the event does not name its sender). room/room-link.ts.
 *     A text stream is passed on at its end, as `EndedText`, before it is known whether the text is whole.
 *  3. chosen link: `ReceivedEvent` → `ReceivedEvent`. Of the SDK rooms that a session may have open, the room that is
 *     recorded from. Drops packets that another of them has delivered. room/room-connection.ts; recorder.ts opens its links.
 *  4. sender and order: `ReceivedEvent` → `RoomEvent` whose sender is known, or was looked up in vain (null). The end of a
 *     text stream that the SDK reports late is put in its place.
 *     session/session-events.ts.
 *  5. decision: `RoomEvent` → `RoomMessage`. session/session-events.ts calls `decodeNumbered` of
 *     packages/contract/src/room/decode-numbered.ts, which for a packet decides by decode-packet.ts and keeps its number.
 *     What a sender sends above its rate is dropped next: session/flood-gate.ts.
 *  6. leader or standby, to which the flood gate hands a message without a raw id: `RoomMessage` → `StorableMessage`.
 *     session/session-leadership.ts.
 *  7. history writer: `StorableMessage` → batch of `QueuedMessage`. history/history-writer.ts.
 *  8. batch store: batch → `NewMessageRow`. history/batch-store.ts. While only some sessions cannot be stored, the messages of
 *     each wait in a separate lane: history/lanes/lane.ts.
 *  9. insertion: `NewMessageRow` → `MessageRow`. packages/db/src/queries/messages/append-batch.ts.
 *     After the commit, deps.ts notifies the readers: packages/db/src/connection/notify-stored.ts.
 * 10. page: rows → `GET …/messages`. apps/api/src/features/messages/list-messages.ts, with the statement of
 *     packages/db/src/queries/messages/read-messages.ts, and the JSON of message-schema.ts beside it.
 * 11. stream: woken readers → `GET …/messages/stream`. apps/api/src/features/messages/stream-messages.ts, with
 *     follow-messages.ts and waiting-readers.ts beside it.
 *
 * A raw id (`metadata.rawId`) is the id that the sender gave: for a packet the field `id` of its JSON. All recorders derive
 * the same message id from it, so the message is stored once, however many recorders pass it on. For a message without a
 * raw id (`metadata.rawId === null`) each recorder makes a different id. So only one recorder may store it: the leader.
 */

export interface ReceivedEvent {
  readonly event: RoomEvent;
  readonly isConnected: boolean;
  /** The identities of all participants that had been announced; empty when the event names its sender. */
  readonly announced: ReadonlySet<string>;
  /**
   * For a text stream: when the oldest word was received that no earlier event of the stream contained. A long stream is
   * reported repeatedly.
   */
  readonly unsavedSince?: number;
}

export interface ReceivedText extends ReceivedEvent {
  readonly event: TextStreamEvent;
}

export interface BegunText extends TextName {
  readonly isOpened: boolean;
}

/** The text is known up to 100 ms after the end. Until then, later events wait. `text` never rejects. */
export interface EndedText extends TextName {
  readonly receivedAt: number;
  readonly text: Promise<ReceivedText>;
}

export interface ReceivedEventReceiver {
  receive(received: ReceivedEvent): void;
  receiveBegin(begun: BegunText): void;
  receiveEnd(ended: EndedText): void;
  receiveTrack(track: PublishedTrack): void;
}

/** No method rejects. */
export interface SenderFinder {
  noteAnnounced(event: PresenceEvent): void;
  /**
   * Returns the joins of all who may have sent the event, and then the event with its sender. If the sender is not certain, it
   * stays null, and the event lists the candidates. If the server does not answer in time, or before `signal` aborts, the event
   * is unchanged. `announced`: the participants that were announced when the event came.
   */
  completeSender(
    event: PacketEvent | ChatMessageEvent,
    announced: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly RoomEvent[]>;
  noteTrack(track: PublishedTrack): void;
  /**
   * Does the same as `completeSender` for a text stream, which an agent may have published in its sender's name. Also finds out
   * whether the sender had the track that the stream names.
   */
  completeTextSender(event: TextStreamEvent, signal: AbortSignal): Promise<readonly RoomEvent[]>;
}

export interface RoomEventReceiver {
  push(event: RoomEvent): void;
}

/**
 * A decided message.
 * - `intervalId`: only the leader stores the message, for this interval. It is skipped if the interval has ended as
 *   `recorder_died`, and another recorder's interval either contains the receipt, or begins soon after it while the history has
 *   the same words.
 * - `senders`: everyone who may have sent the message, if an agent may have. The message is skipped if all of them are
 *   agents that joined after they had stopped, or sent it more than a minute after that. If only some are, its role
 *   becomes `system`.
 * - `isOfApi`: the API stored the message before it sent it.
 * - `since`: the message's oldest word was received at this time, before `receivedAt`.
 */
export type StorableMessage = RoomMessage &
  Pick<NewMessageRow, 'intervalId' | 'senders'> & {
    readonly isOfApi?: true;
    readonly since?: number;
  };

export interface MessageReceiver {
  push(message: StorableMessage): void;
}

export interface PendingSession {
  readonly since: number;
  readonly isAlone: boolean;
}

/** What earlier stages may ask the history writer. A pending message is in memory, on the disk, or being stored. */
export interface PendingMessages {
  readonly waiting: ReadonlyMap<string, PendingSession>;
  has(sessionId: string): boolean;
  untilStored(sessionId: string, signal: AbortSignal): Promise<void>;
}

export interface LostSpan {
  readonly receivedAt: number;
  readonly until: number;
}

/** `intervalId`: the interval of the newest message. */
export interface LedSpan extends LostSpan {
  readonly intervalId: string;
}

/** `led`: the time of those lost messages that only the leader stores. */
export interface LostMessages extends LostSpan {
  readonly kind: 'loss';
  readonly sessionId: string;
  readonly count: number;
  readonly reason?: 'refused';
  readonly led?: LedSpan;
}

export type QueuedMessage = StorableMessage | LostMessages;

/**
 * A message in neither list is settled: stored, or rejected for good. Messages in `deferred` wait in lanes, because
 * their sessions cannot be stored now while others can; `reason` is why the first of them failed. `rest` is retried:
 * because of `error`, the database takes nothing.
 */
export interface StoreResult {
  readonly settledCount: number;
  readonly deferred: readonly QueuedMessage[];
  readonly reason?: unknown;
  readonly rest: readonly QueuedMessage[];
  readonly error?: unknown;
}

export interface BatchReceiver {
  store(batch: readonly QueuedMessage[], isAlone?: boolean): Promise<StoreResult>;
}

export type RowWriter = Pick<RecorderQueries, 'appendMessages'>;
