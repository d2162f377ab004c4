export { type HeardSound, Hearing } from './hearing.ts';
export { recordRoom } from './record-room.ts';
export {
  joinAsForeigner,
  joinAsRecorder,
  joinAsUser,
  joinUnannounced,
  makeRoomName,
  packetsIn,
  untilReached,
  withoutProbes,
} from './rooms.ts';
export { delayTexts, listenToWords, untilArrived } from './text-streams.ts';
export { type Spoken, VoiceUser, WHOLE_SPEECH_MS } from './voice-user.ts';
