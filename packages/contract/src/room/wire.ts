import type { SequenceNumber } from './sequence-number.ts';

export const TRANSCRIPTION_TOPIC = 'lk.transcription';
export const CHAT_TOPIC = 'lk.chat';
/** The topic of the API's packets. Any participant may use it too, so it proves nothing. */
export const API_TOPIC = 'session-service.api';
/** With the value `packet`, marks an agent that reads texts from packets: `POST …/messages` lists such agents. */
export const TEXTS_ATTRIBUTE = 'session.texts';
export const SEGMENT_ATTRIBUTE = 'lk.segment_id';
export const FINAL_ATTRIBUTE = 'lk.transcription_final';
export const TRACK_ATTRIBUTE = 'lk.transcribed_track_id';
export const ANSWERS_ATTRIBUTE = 'session.answers';
export const INTERRUPTED_ATTRIBUTE = 'session.interrupted';
export const TRUNCATED_ATTRIBUTE = 'session.truncated';
/** The sequence number of a text stream, as `q:n`. */
export const SEQUENCE_ATTRIBUTE = 'session.seq';
/** The attribute with a participant's last number, as `q:n`. Without it, the loss of the last messages goes unnoticed. */
export const LAST_ATTRIBUTE = 'session-service.last';
/** An attribute that no participant has. Deleting it changes nothing, but makes the server announce the participant. */
export const NO_ATTRIBUTE = 'session-service.none';
/** The topic of a packet that asks a sender for messages that the history lacks. */
export const RESEND_TOPIC = 'session-service.resend';
export const RESENT_TOPIC = 'session-service.resent';
/**
 * For a message that is sent again: the topic of its original text stream, or `packet` if the text is the JSON of a
 * packet.
 */
export const RESENT_OF_ATTRIBUTE = 'session.of';
export const RESENT_ID_ATTRIBUTE = 'session.id';
export const SPOKEN_AT_ATTRIBUTE = 'session.spoken_at';
/** In the trailer of an agent's answer: the figures of its turn, as JSON of at most 1 KiB. */
export const TURN_ATTRIBUTE = 'session.turn';

/** The largest data packet, in bytes, that LiveKit delivers reliably. Receivers never get a larger one. */
export const MAX_PACKET_BYTES = 63_000;

export interface UserTextPacket {
  readonly type: 'user_text';
  readonly data: string;
  readonly id?: string;
  /** For an agent that has just joined: the text has no id in the room, and the agent may have received it already. */
  readonly resent?: true;
  /**
   * Said before the agent joined, and sent to it alone. If a conversational agent was there before, that agent answers.
   */
  readonly missed?: true;
  /** Who said the text. Only a packet that the API has signed proves it. */
  readonly sender?: { readonly identity: string; readonly name: string };
  readonly seq?: SequenceNumber;
}

interface TranscriptPacket {
  readonly type: 'transcript';
  readonly text: string;
  readonly is_final: boolean;
  readonly role?: 'user' | 'assistant';
  readonly language?: string;
  readonly id?: string;
}

/**
 * What an agent reports about its work. The first three types are stored with all fields, the last three with the
 * fields of their own event types. `message`, the sentence for people, is the content. `foldState` derives the state of
 * a session from the stored messages of the first three types.
 */
interface AgentEventPacket {
  readonly type:
    | 'complete_todo_list'
    | 'plan_deliverable_update'
    | 'state_change_notification'
    | 'tool_call'
    | 'conversation_ended'
    | 'handover';
  readonly message?: string;
  readonly id?: string;
  readonly [field: string]: unknown;
}

/** Sent by the API to one agent alone: why it starts no other agent for the handover. */
export interface HandoverRefusedPacket {
  readonly type: 'handover_refused';
  /** The id of the message that requested the handover. */
  readonly handover: string;
  readonly code: string;
  readonly detail: string;
}

export type WirePacket =
  | UserTextPacket
  | TranscriptPacket
  | AgentEventPacket
  | HandoverRefusedPacket;

export function encodePacket(packet: WirePacket): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(packet));
}
