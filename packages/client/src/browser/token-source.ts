import type { SessionToken } from '../shapes.ts';

interface TokenMaker {
  readonly sessions: { readonly createToken: (sessionId: string) => Promise<SessionToken> };
}

/** LiveKit's `TokenSourceConfigurable`, by its shape: its own declarations need others that LiveKit does not bring. */
export interface RoomTokenSource {
  readonly fetch: (options: object, force?: boolean) => Promise<TokenAnswer>;
}

type TokenAnswer = Pick<SessionToken, 'serverUrl' | 'participantToken'>;

/** Returns a token source of LiveKit's own for a session's room: its components take it, and so does `useSession`. */
export async function tokenSource(client: TokenMaker, sessionId: string): Promise<RoomTokenSource> {
  const { TokenSource } = await import('livekit-client');
  return TokenSource.custom(async () => ({ ...(await client.sessions.createToken(sessionId)) }));
}
