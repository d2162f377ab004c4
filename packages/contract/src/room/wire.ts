/** The topic of LiveKit's transcription text streams. */
export const TRANSCRIPTION_TOPIC = 'lk.transcription';
/** The topic of LiveKit's chat text streams. */
export const CHAT_TOPIC = 'lk.chat';
/** Names the utterance that a transcription stream is a version of. */
export const SEGMENT_ATTRIBUTE = 'lk.segment_id';
/** `true` on the last version of an utterance. */
export const FINAL_ATTRIBUTE = 'lk.transcription_final';

/** What a person types, as a reliable JSON data packet. */
export interface UserTextPacket {
  readonly type: 'user_text';
  readonly data: string;
  /** The message's id: a client that sends it can find its words in the history. */
  readonly id?: string;
}

/** What somebody said, as a JSON data packet. Only the final one is recorded. */
export interface TranscriptPacket {
  readonly type: 'transcript';
  readonly text: string;
  readonly is_final: boolean;
  readonly role?: 'user' | 'assistant';
  readonly language?: string;
  readonly id?: string;
}

/** What an agent reports of its work: all of it is kept, and `message` is the sentence for people. */
export interface AgentEventPacket {
  readonly type: 'complete_todo_list' | 'plan_deliverable_update' | 'state_change_notification';
  readonly message?: string;
  readonly id?: string;
  readonly [field: string]: unknown;
}

/** The data packets that the history knows. */
export type WirePacket = UserTextPacket | TranscriptPacket | AgentEventPacket;

/** Gives the bytes of a data packet. */
export function encodePacket(packet: WirePacket): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(packet));
}
