import type { Message } from '@session/contract';
import type { Participant, RoomMessage } from '@session/contract/room';
import { isComplete, kindOf, participantOf } from './stored-row.ts';

/** What became of words that the history does not have yet. */
export type Mark = 'sending' | 'failed' | 'unrecorded';

/**
 * How much is known of an item. `sending`: our own words, on their way. `failed`: our own words, not stored and not heard.
 * `speaking`: the room is still hearing it. `unconfirmed`: the room heard all of it, and the history does not have it yet.
 * `unrecorded`: the room heard it while nobody recorded. `pending`: stored, perhaps not to its end. `complete`: stored, and
 * never changed again.
 */
export type ItemState = Mark | 'speaking' | 'unconfirmed' | 'pending' | 'complete';

/** A message as a list shows it. An item that did not change is the same object in the next snapshot. */
export interface TimelineItem {
  /** Unique in a snapshot, and the same from an item's first appearance on: the key for a list of rows. */
  readonly key: string;
  /** The message's id. Two items share an id while the room has heard two senders use it. */
  readonly id: string;
  readonly role: Message['role'];
  /** An open enumeration: show an unknown kind by its content. */
  readonly kind: string;
  readonly content: string;
  readonly participant: Participant | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** The history's time; null while the history does not have the message. */
  readonly timestamp: string | null;
  readonly state: ItemState;
}

/** Words of ours. */
export interface OwnMessage {
  readonly id: string;
  readonly content: string;
  /** Ourselves, by the identity in the room or `user-<user id>`. */
  readonly participant: Participant;
}

/** What the room said of a message. */
export interface LiveMessage {
  readonly message: RoomMessage;
  /** Whether these are all of its words. */
  readonly isFinal: boolean;
  /** Whether its stream goes on. */
  readonly isOpen: boolean;
}

/** One message: the join of what the history, the room and we ourselves know of it. Only `Ledger` changes one. */
export interface Entry {
  readonly key: string;
  id: string;
  /** Counts up in the order in which this client learned of messages. */
  seen: number;
  /** While not stored: the timestamp of the newest row that must stand above it. */
  anchor: string;
  /** Whether it arrived while rows were missing that were probably said before it. */
  isLate: boolean;
  stored: Message | undefined;
  live: LiveMessage | undefined;
  own: OwnMessage | undefined;
  mark: Mark | undefined;
  /** What a list shows of it; undefined since its last change. */
  item: TimelineItem | undefined;
}

/** Whether the room is still hearing it, and nothing of it is stored. */
export function isSpeaking({ stored, live }: Entry): boolean {
  return stored === undefined && live !== undefined && !live.isFinal;
}

/** Returns what a list shows of an entry. */
export function itemOf(entry: Entry): TimelineItem {
  entry.item ??= makeItem(entry);
  return entry.item;
}

function makeItem(entry: Entry): TimelineItem {
  const { key, id, stored, live, own, mark } = entry;
  const timestamp = stored?.timestamp ?? null;
  if (live && isLiveShown(stored, live)) {
    const { role, kind, content, metadata } = live.message;
    const state = live.isFinal ? (mark === 'unrecorded' ? mark : 'unconfirmed') : 'speaking';
    const { participant } = metadata;
    const shown = { role, kind, content, participant, metadata: { ...metadata } };
    return { key, id, ...shown, timestamp, state };
  }
  if (stored) {
    const { role, content, metadata } = stored;
    const shown = { role, kind: kindOf(stored), content, participant: participantOf(stored) };
    const state = isComplete(stored) ? 'complete' : 'pending';
    return { key, id, ...shown, metadata, timestamp, state };
  }
  if (!own) throw new Error('an entry has a source');
  const { content, participant } = own;
  const shown = { role: 'user', kind: 'text', content, participant, metadata: null } as const;
  return { key, id, ...shown, timestamp, state: mark ?? 'sending' };
}

/** Complete rows come before the room's words, whole words before parts, and a part that still grows before a stored part. */
function isLiveShown(stored: Message | undefined, live: LiveMessage): boolean {
  if (stored === undefined) return true;
  return !isComplete(stored) && (live.isFinal || live.isOpen);
}
