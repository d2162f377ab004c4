export { decode } from './decode.ts';
export { type ConflictingMessage, conflictIdOf, senderOf } from './message-conflict.ts';
export { messageIdOf } from './message-id.ts';
export { type RecordingGap, recordingGap } from './recording-gap.ts';
export {
  type ChatMessageEvent,
  isAgent,
  isRecorder,
  type PacketEvent,
  type Participant,
  type PresenceEvent,
  type RoomEvent,
  type TextStreamEvent,
} from './room-event.ts';
export type {
  DecodeContext,
  Decoded,
  MessageKind,
  MessageMetadata,
  MessageRole,
  MessageStatus,
  RoomMessage,
  SkipReason,
} from './room-message.ts';
export {
  type AgentEventPacket,
  API_TOPIC,
  CHAT_TOPIC,
  encodePacket,
  FINAL_ATTRIBUTE,
  MAX_PACKET_BYTES,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
  type TranscriptPacket,
  type UserTextPacket,
  type WirePacket,
} from './wire.ts';
