/** The topic of LiveKit's transcription text streams. */
export const TRANSCRIPTION_TOPIC = 'lk.transcription';
/** The topic of LiveKit's chat text streams. */
export const CHAT_TOPIC = 'lk.chat';
/** The topic of the packets that the API sends. Any participant may use it too, so it proves nothing. */
export const API_TOPIC = 'session-service.api';
/**
 * The attribute of an agent that reads texts which come as packets, with the value `packet`: `POST …/messages` names such agents.
 */
export const TEXTS_ATTRIBUTE = 'session.texts';
/** The attribute with the id of a transcript. Its interim transcripts are streams of their own, with the same id. */
export const SEGMENT_ATTRIBUTE = 'lk.segment_id';
/** The attribute that is `true` on a final transcript. */
export const FINAL_ATTRIBUTE = 'lk.transcription_final';
/** The attribute with the SID of the track that a transcript is of. */
export const TRACK_ATTRIBUTE = 'lk.transcribed_track_id';
/** The attribute in which an agent names the texts that it answers, as JSON: see `answersOf` of packages/media. */
export const ANSWERS_ATTRIBUTE = 'session.answers';
/** The attribute that is `true` on the text of an agent that was interrupted: it ends where the agent stopped. */
export const INTERRUPTED_ATTRIBUTE = 'session.interrupted';
/** The attribute that is `true` on the text of an agent that broke off by itself, for example because its model failed. */
export const TRUNCATED_ATTRIBUTE = 'session.truncated';

/** The largest data packet, in bytes, that LiveKit carries reliably. Receivers never get a larger one. */
export const MAX_PACKET_BYTES = 63_000;

/** What a participant types, as a reliable JSON data packet. */
export interface UserTextPacket {
  readonly type: 'user_text';
  readonly data: string;
  /** The message's id. A client that sends an id finds the message in the history under that id. */
  readonly id?: string;
  /**
   * The API sends the text to an agent that has just joined, and it has no id of its own in the room: the agent may have
   * received it already, under another id.
   */
  readonly resent?: true;
  /**
   * The text was said before the agent came, and the API sends it to that agent alone. Where a conversational agent was in
   * the room before, it has answered, or will.
   */
  readonly missed?: true;
  /** Who said the text, in a packet of the API. It says nothing in a packet that the API has not signed. */
  readonly sender?: { readonly identity: string; readonly name: string };
}

/** What a participant said, as a JSON data packet. Only the final transcript is recorded. */
export interface TranscriptPacket {
  readonly type: 'transcript';
  readonly text: string;
  readonly is_final: boolean;
  readonly role?: 'user' | 'assistant';
  readonly language?: string;
  readonly id?: string;
}

/**
 * What an agent reports about its work. The packet is stored; `message`, the sentence that people read, as the content. Any
 * fields are stored. The state of a session is folded from packets with the fields of `AgentEvent`.
 */
export interface AgentEventPacket {
  readonly type: 'complete_todo_list' | 'plan_deliverable_update' | 'state_change_notification';
  readonly message?: string;
  readonly id?: string;
  readonly [field: string]: unknown;
}

/** The data packets that go into the history. */
export type WirePacket = UserTextPacket | TranscriptPacket | AgentEventPacket;

/** Returns the bytes of a data packet. */
export function encodePacket(packet: WirePacket): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(packet));
}
