import { BrowserRoom } from './browser/browser-room.ts';
import { PageWatch } from './browser/page-watch.ts';
import type { PageState } from './conversation/page-state.ts';

export type {
  AudioDevice,
  BrowserRoomSnapshot,
  MicrophoneState,
  MicrophoneSwitches,
  RoomParticipant,
} from './browser/browser-room-snapshot.ts';
export { type RoomTokenSource, tokenSource } from './browser/token-source.ts';
export type { BrowserRoom };

/** Returns the page's state, for a conversation without a room. A conversation with a `browserRoom` has it already. */
export function browserPage(): PageState {
  return new PageWatch();
}

/** Returns a room for a conversation in a browser. LiveKit's SDK is loaded when the conversation is opened. */
export function browserRoom(): BrowserRoom {
  return new BrowserRoom();
}
