import type { Participant } from './room-event.ts';

export type MessageRole = 'user' | 'assistant' | 'system';
export type MessageStatus = 'pending' | 'complete';

/** The kinds of messages. An open enumeration: clients show a message of an unknown kind by its content. */
export type MessageKind =
  | 'transcript'
  | 'text'
  | 'complete_todo_list'
  | 'plan_deliverable_update'
  | 'state_change_notification'
  | 'participant_joined'
  | 'participant_left'
  | 'recording_gap'
  | 'unheard';

/** What is known about a message besides its content. Times are ISO 8601 in UTC. */
export interface MessageMetadata {
  /**
   * The same as the message's own `kind`. It is here too because the API returns `metadata` as it is, and clients may read
   * the kind from it.
   */
  readonly kind: MessageKind;
  readonly participant: Participant | null;
  /**
   * Of a message without a participant: the identities of the participants that may have sent it. Empty if a server sent
   * it, or a participant that left at once, and absent if the participants were not known.
   */
  readonly candidates?: readonly string[];
  /**
   * Of a message that an agent wrote in the participant's name: the identities of the agents that may have, one unless several
   * were in the room. Empty if that agent left at once. The role is `user` only if the message is the transcript of a track
   * that the participant has or had in the room, and otherwise `system`.
   */
  readonly transcribers?: readonly string[];
  /**
   * The topic of a text stream, the type of a packet, `chat_message`, `participant_joined` or `participant_left`. `recorder`
   * for what recorders report: a gap, or an unheard text.
   */
  readonly source: string;
  /** The id that the room event carried, or that identifies it otherwise; null if there is none. See `messageIdOf`. */
  readonly rawId: string | null;
  /** When the message was sent, on the sender's clock. */
  readonly spokenAt?: string;
  /** When the participant joined, on the media server's clock. */
  readonly joinedAt?: string;
  readonly language?: string;
  /** Another sender's message has the id that the room knows this message by, so the history gave it one of its own. */
  readonly idConflict?: true;
  /** An agent was interrupted: the content is what it had said until then. */
  readonly interrupted?: true;
  /** The content is incomplete: the text was too long, its stream broke, or the agent that sent it broke off. */
  readonly truncated?: true;
  /** The packet of an agent event, without the sentence that is the content; the reason of a leave. */
  readonly payload?: unknown;
  /** For a recording gap: from when to when nothing was recorded (for `flood`: of `participant`), and why. */
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  /** For the gap `flood` of one sender: how many of its messages are missing, at most. */
  readonly count?: number;
}

/**
 * A message as the history will store it: the second stage of a message's way. `decode` makes it from a room event, and
 * the database layer turns it into a row.
 */
export interface RoomMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly role: MessageRole;
  /** Null for a message that no participant wrote or spoke. */
  readonly status: MessageStatus | null;
  readonly kind: MessageKind;
  readonly content: string;
  readonly metadata: MessageMetadata;
  /** When the room event was received, in milliseconds since the epoch, on the receiver's clock. */
  readonly receivedAt: number;
}

/** Why a room event does not go into the history. */
export type SkipReason =
  | 'partial_transcript'
  | 'tts_control'
  | 'audio_chunk'
  | 'empty'
  | 'recorder'
  | 'unknown';

/**
 * The decision about a room event. `store`: the message belongs in the history. `interim`: an interim transcript. It is not
 * stored, but the newest one is kept, and stored as pending if its sender leaves or falls silent before the final
 * transcript.
 */
export type Decoded =
  | { readonly outcome: 'store'; readonly message: RoomMessage }
  | { readonly outcome: 'interim'; readonly message: RoomMessage }
  | { readonly outcome: 'skip'; readonly reason: SkipReason };

/** What `decode` needs besides the room event. */
export interface DecodeContext {
  readonly sessionId: string;
  /** Makes the id of a packet that brings no id. */
  readonly newId: () => string;
}

/** Returns the decision that a room event does not go into the history. */
export function skip(reason: SkipReason): Decoded {
  return { outcome: 'skip', reason };
}
