import type { SessionToken } from '@session/contract';
import type { TokenSourceConfigurable } from 'livekit-client';

/** The part of a client that makes tokens. */
interface TokenMaker {
  readonly sessions: { readonly createToken: (sessionId: string) => Promise<SessionToken> };
}

/** Returns a token source of LiveKit's own for a session's room: its components take it, and so does `useSession`. */
export async function tokenSource(
  client: TokenMaker,
  sessionId: string,
): Promise<TokenSourceConfigurable> {
  const { TokenSource } = await import('livekit-client');
  return TokenSource.custom(async () => ({ ...(await client.sessions.createToken(sessionId)) }));
}
