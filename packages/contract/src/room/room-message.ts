import type { Participant } from './room-event.ts';
import type { SequenceNumber } from './sequence-number.ts';
import type { TurnFigures } from './turn-figures.ts';

export type MessageRole = 'user' | 'assistant' | 'system';
type MessageStatus = 'pending' | 'complete';

/** The kinds of messages. An open enumeration: clients show a message of an unknown kind by its content. */
export type MessageKind =
  | 'transcript'
  | 'text'
  | 'complete_todo_list'
  | 'plan_deliverable_update'
  | 'state_change_notification'
  | 'tool_call'
  | 'conversation_ended'
  | 'handover'
  | 'participant_joined'
  | 'participant_left'
  | 'recording_gap'
  | 'unheard';

/** Times are ISO 8601 in UTC: `spokenAt` by the sender's clock, `joinedAt` by the media server's. */
export interface MessageMetadata {
  /**
   * The same as the message's `kind`, because the API returns `metadata` unchanged, and clients may read the kind
   * there.
   */
  readonly kind: MessageKind;
  readonly participant: Participant | null;
  readonly candidates?: readonly string[];
  /**
   * The agents that may have written a message in the participant's name; empty if such an agent left at once. The role is
   * `user` only for the transcript of the participant's own track, otherwise `system`.
   */
  readonly transcribers?: readonly string[];
  readonly source: string;
  readonly rawId: string | null;
  readonly seq?: SequenceNumber;
  /**
   * Whether the sender sent the message again, because the history lacked it. Its position is later than the time at
   * which it was said.
   */
  readonly resent?: true;
  readonly spokenAt?: string;
  readonly joinedAt?: string;
  readonly language?: string;
  readonly idConflict?: true;
  readonly interrupted?: true;
  readonly truncated?: true;
  readonly turn?: TurnFigures;
  readonly payload?: unknown;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly count?: number;
  /** The sender of a gap with the reason `missing_messages`, and the missing numbers as ranges: first and last number. */
  readonly identity?: string;
  readonly missing?: readonly (readonly [first: number, last: number])[];
}

export interface RoomMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly role: MessageRole;
  readonly status: MessageStatus | null;
  readonly kind: MessageKind;
  readonly content: string;
  readonly metadata: MessageMetadata;
  readonly receivedAt: number;
}

/** Returns the message with the customer's id of its end user; without one, returns the message unchanged. */
export function withExternalId(
  message: RoomMessage,
  externalId: string | null | undefined,
): RoomMessage {
  const { metadata } = message;
  const { participant } = metadata;
  if (!participant || !externalId) return message;
  return { ...message, metadata: { ...metadata, participant: { ...participant, externalId } } };
}

export type SkipReason =
  | 'partial_transcript'
  | 'tts_control'
  | 'audio_chunk'
  | 'empty'
  | 'recorder'
  | 'unknown';

/**
 * An `interim` message is not stored at once. The recorder keeps the newest one, and stores it as pending if its sender
 * leaves or falls silent before the final message.
 */
export type Decoded =
  | { readonly outcome: 'store'; readonly message: RoomMessage }
  | { readonly outcome: 'interim'; readonly message: RoomMessage }
  | { readonly outcome: 'skip'; readonly reason: SkipReason };

export interface DecodeContext {
  readonly sessionId: string;
  readonly newId: () => string;
}

export function skip(reason: SkipReason): Decoded {
  return { outcome: 'skip', reason };
}
