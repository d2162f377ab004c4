export {
  type AgentEvent,
  type DeliverableEvent,
  type EndEvent,
  type HandoverAgent,
  type HandoverEvent,
  MAX_CALL_PART_BYTES,
  type StateEvent,
  type TodoListEvent,
  type ToolCallEvent,
} from './agent-event.ts';
export { agentIdentity } from './agent-identity.ts';
export { agentReportOf, type FoldableMessage } from './agent-report.ts';
export { cutToBytes } from './clean.ts';
export { connectionLines } from './connection-lines.ts';
export { decode, decodeSaid } from './decode.ts';
export { decodeNumbered } from './decode-numbered.ts';
export { packetFields } from './decode-packet.ts';
export type { EndReport } from './ending.ts';
export { type Fields, isFields } from './fields.ts';
export { type FoldedState, foldState } from './fold-state.ts';
export { type HandoverReport, handoverRefusalIn } from './handover.ts';
export { conflictIdOf } from './message-conflict.ts';
export { messageIdOf } from './message-id.ts';
export type { DeliverableState, PlanState, StepState } from './plan-state.ts';
export {
  type Flood,
  floodGap,
  missingMessages,
  type RecordingGap,
  recordingGap,
} from './recording-gap.ts';
export {
  type ChatMessageEvent,
  isAgent,
  isRecorder,
  type PacketEvent,
  type Participant,
  type PresenceEvent,
  type RoomEvent,
  type TextStreamEvent,
  type Transcribed,
} from './room-event.ts';
export {
  type MessageKind,
  type MessageMetadata,
  type RoomMessage,
  type SkipReason,
  withExternalId,
} from './room-message.ts';
export { type Claim, isOperator, isSameMessage, senderOf } from './sender.ts';
export {
  type SequenceNumber,
  sequenceAttribute,
  sequenceOfAttribute,
} from './sequence-number.ts';
export type { ToolCallReport } from './tool-call.ts';
export type { TurnFigures } from './turn-figures.ts';
export { unheardText } from './unheard-text.ts';
export { isUuid, uuidV7 } from './uuid.ts';
export {
  ANSWERS_ATTRIBUTE,
  API_TOPIC,
  CHAT_TOPIC,
  encodePacket,
  FINAL_ATTRIBUTE,
  type HandoverRefusedPacket,
  INTERRUPTED_ATTRIBUTE,
  LAST_ATTRIBUTE,
  MAX_PACKET_BYTES,
  NO_ATTRIBUTE,
  RESEND_TOPIC,
  RESENT_ID_ATTRIBUTE,
  RESENT_OF_ATTRIBUTE,
  RESENT_TOPIC,
  SEGMENT_ATTRIBUTE,
  SEQUENCE_ATTRIBUTE,
  SPOKEN_AT_ATTRIBUTE,
  TEXTS_ATTRIBUTE,
  TRACK_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
  TRUNCATED_ATTRIBUTE,
  TURN_ATTRIBUTE,
  type UserTextPacket,
} from './wire.ts';
