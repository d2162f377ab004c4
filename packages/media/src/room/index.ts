// What a participant needs, without the parts that make tokens and send requests to the media server.
export { guard } from '../guard.ts';
export { isRefusedToken } from '../media-error.ts';
export { disposeSdk, quietSdk } from '../quiet-sdk.ts';
export { type IsSigned, packetPublicKey, packetVerifier } from '../server/signed-packet.ts';
export { answersOf, digestOf, type NamedText, readAnswers } from '../text/answers.ts';
export type { OpenText } from '../text/open-text.ts';
export { SentMessages } from '../text/sent-messages.ts';
export type { TextName } from '../text/text-header.ts';
export type { TextWriter } from '../text/text-writer.ts';
export { transportId } from '../transport-id.ts';
export { INCOMING_FRAME_MS, INCOMING_RATE, type IncomingAudio } from '../voice/incoming-audio.ts';
export type { VoiceTrack } from '../voice/voice-track.ts';
export { hideProxy } from './hide-proxy.ts';
export { joinRoom } from './join-room.ts';
export type { JoinedRoom } from './joined-room.ts';
export { type LastNumberReport, watchLastNumbers } from './last-numbers.ts';
export {
  joinedEvent,
  listenToRoom,
  type PublishedTrack,
  type RoomListener,
  type TextEnd,
} from './listen-to-room.ts';
export { releaseRoom } from './release-room.ts';
export { roomOptions } from './room-options.ts';
