import { BrowserRoom } from './browser/browser-room.ts';
import { PageWatch } from './browser/page-watch.ts';
import type { PageState } from './conversation/room.ts';
import type { SessionToken } from './shapes.ts';

export type {
  AudioDevice,
  BrowserRoomSnapshot,
  MicrophoneState,
  MicrophoneSwitches,
  RoomParticipant,
} from './browser/browser-room-snapshot.ts';
export type { BrowserRoom };

interface TokenMaker {
  readonly sessions: { readonly createToken: (sessionId: string) => Promise<SessionToken> };
}

/**
 * The shape of LiveKit's `TokenSourceConfigurable`. LiveKit's own declaration refers to declarations that are not
 * published.
 */
export interface RoomTokenSource {
  readonly fetch: (options: object, force?: boolean) => Promise<TokenAnswer>;
}

type TokenAnswer = Pick<SessionToken, 'serverUrl' | 'participantToken'>;

/** Returns the page's state, for a conversation without a room. A `browserRoom` already includes it. */
export function browserPage(): PageState {
  return new PageWatch();
}

/** Returns a room for a conversation in a browser. LiveKit's SDK is loaded when the conversation first joins the room. */
export function browserRoom(): BrowserRoom {
  return new BrowserRoom();
}

/** Returns one of LiveKit's own token sources for a session's room, for LiveKit's components and `useSession`. */
export async function tokenSource(client: TokenMaker, sessionId: string): Promise<RoomTokenSource> {
  const { TokenSource } = await import('livekit-client');
  return TokenSource.custom(async () => ({ ...(await client.sessions.createToken(sessionId)) }));
}
