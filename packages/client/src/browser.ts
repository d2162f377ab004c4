import { BrowserRoom } from './browser/browser-room.ts';

export type {
  AudioDevice,
  BrowserRoomSnapshot,
  MicrophoneState,
  RoomParticipant,
} from './browser/browser-room-snapshot.ts';
export { tokenSource } from './browser/token-source.ts';
export type { BrowserRoom };

/** Returns a room for a conversation in a browser. LiveKit's SDK is loaded when the conversation joins. */
export function browserRoom(): BrowserRoom {
  return new BrowserRoom();
}
