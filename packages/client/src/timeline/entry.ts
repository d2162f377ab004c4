import type { Participant, RoomMessage } from '@session/contract/room';
import type { Message, SentMessage } from '../shapes.ts';

export type Mark = 'sending' | 'failed' | 'unrecorded';

/**
 * `sending`: our own message, on its way. `failed`: our own message, neither stored nor said. `speaking`: its sender is still
 * speaking. `unconfirmed`: said to its end or broken off, and not in the history yet. `unrecorded`: said while there was no
 * recorder. `pending`: stored, perhaps not to its end. `complete`: stored to its end; only an erasure changes it.
 */
export type ItemState = Mark | 'speaking' | 'unconfirmed' | 'pending' | 'complete';

/** A message as a list shows it. An item that did not change is the same object in the next snapshot. */
export interface TimelineItem {
  /** Unique in a snapshot, and the same while the item is in the list. Use it as the key of a list of rows. */
  readonly key: string;
  /** If two senders have used the same id, their items share it until the history has decided. */
  readonly id: string;
  readonly role: Message['role'];
  /** An open enumeration. Show an unknown kind by its content. */
  readonly kind: string;
  readonly content: string;
  readonly participant: Participant | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The time in the history; null while the message is not in the history. */
  readonly timestamp: string | null;
  readonly state: ItemState;
  /** The agents that could read our own text when the API sent it; null if they are unknown. */
  readonly deliveredTo: readonly string[] | null;
}

/** A stored row, or the answer to our own `POST …/messages`, which also contains who could read the text. */
export type LearnedRow = Message & Partial<Pick<SentMessage, 'deliveredTo'>>;

export interface OwnMessage {
  readonly id: string;
  readonly content: string;
  readonly participant: Participant;
}

export interface LiveMessage {
  readonly message: RoomMessage;
  /**
   * `open`: the stream of the text is still open. `interim`: the stream has ended, and another one with more text will follow.
   * `broken`: nothing will follow unless the message is repeated. `final`: the whole text.
   */
  readonly stage: 'open' | 'interim' | 'broken' | 'final';
}

export interface Entry {
  readonly key: string;
  id: string;
  seen: number;
  /** Only while the entry is not stored: the timestamp of the newest row that must precede it. */
  anchor: string;
  /** Whether the entry arrived while rows that were probably said earlier were missing. */
  isLate: boolean;
  stored?: Message | undefined;
  live?: LiveMessage | undefined;
  own?: OwnMessage | undefined;
  mark?: Mark | undefined;
  deliveredTo: readonly string[] | null;
  item?: TimelineItem | undefined;
}

export function createEntry(id: string, seen: number): Entry {
  return {
    // Not the id, because two senders can use the same one.
    key: `message-${seen}`,
    id,
    seen,
    anchor: '',
    isLate: false,
    deliveredTo: null,
  };
}

export function isGoingOn({ stage }: LiveMessage): boolean {
  return stage === 'open' || stage === 'interim';
}

export function isSpeaking({ stored, live }: Entry): boolean {
  return stored === undefined && live !== undefined && isGoingOn(live);
}
