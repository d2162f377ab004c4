import type { Participant } from './room-event.ts';

export type MessageRole = 'user' | 'assistant' | 'system';
export type MessageStatus = 'pending' | 'complete';

/** What the history distinguishes. An open enumeration: clients show an unknown kind by its content. */
export type MessageKind =
  | 'transcript'
  | 'text'
  | 'complete_todo_list'
  | 'plan_deliverable_update'
  | 'state_change_notification'
  | 'participant_joined'
  | 'participant_left'
  | 'recording_gap';

/** What is known of a message beside its words. Times are ISO 8601 in UTC. */
export interface MessageMetadata {
  readonly kind: MessageKind;
  readonly participant: Participant | null;
  /** The topic of a text stream, or the type of a packet. */
  readonly source: string;
  /** The id that the room gave it; null when it gave none. */
  readonly rawId: string | null;
  /** The sender's clock. */
  readonly spokenAt?: string;
  /** The media server's clock. */
  readonly joinedAt?: string;
  readonly language?: string;
  /** Not all of it is here: it was too long, or its stream broke. */
  readonly truncated?: true;
  readonly payload?: unknown;
  /** Of a recording gap: from when to when nobody listened, and why. */
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
}

/** A message as it goes into the history. */
export interface RoomMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly role: MessageRole;
  /** Null for what nobody said. */
  readonly status: MessageStatus | null;
  readonly kind: MessageKind;
  readonly content: string;
  readonly metadata: MessageMetadata;
  /** Milliseconds since the epoch, on the receiver's clock. */
  readonly receivedAt: number;
}

/** Why something is not in the history. */
export type SkipReason =
  | 'partial_transcript'
  | 'tts_control'
  | 'audio_chunk'
  | 'empty'
  | 'recorder'
  | 'unknown';

/**
 * What becomes of an event. `interim` is a transcript that is not final: it is skipped, but its newest text is worth
 * keeping, as pending, should the speaker leave or fall silent before the final one.
 */
export type Decoded =
  | { readonly outcome: 'record'; readonly message: RoomMessage }
  | { readonly outcome: 'interim'; readonly message: RoomMessage }
  | { readonly outcome: 'skip'; readonly reason: SkipReason };

/** What deciding takes beside the event. */
export interface DecodeContext {
  readonly sessionId: string;
  /** Makes the id of a packet that brings none. */
  readonly newId: () => string;
}

/** Says that an event is not for the history. */
export function skip(reason: SkipReason): Decoded {
  return { outcome: 'skip', reason };
}
