import { AppError } from '@session/kit';
import type { ZodApp } from '../zod-app.ts';
import type { ParticipantCaller } from './caller.ts';

/** A separate audience, because a former release would take a token with our usual one for a token of the user `sub`. */
export const PARTICIPANT_AUDIENCE = 'session-service-participant';
/**
 * The audience of tokens with `from`. A former release refuses this audience. Otherwise that release would ignore
 * `from`, and show everything.
 */
export const LATE_PARTICIPANT_AUDIENCE = 'session-service-late-participant';

export interface ParticipantClaims {
  readonly session: string;
  readonly as: string;
  readonly av?: number;
  readonly mode: 'join' | 'observe';
  readonly from?: string;
}

/** Returns a token with which an end user calls the API about one session, and when it expires (ISO 8601). */
export function signParticipantToken(
  app: ZodApp,
  claims: ParticipantClaims & { readonly sub: string; readonly v: number },
  ttlSeconds: number,
): { readonly accessToken: string; readonly accessExpiresAt: string } {
  const aud = claims.from === undefined ? PARTICIPANT_AUDIENCE : LATE_PARTICIPANT_AUDIENCE;
  const accessToken = app.jwt.sign(claims, { aud, expiresIn: ttlSeconds });
  const { exp = 0 } = app.jwt.decode<{ exp?: number }>(accessToken) ?? {};
  return { accessToken, accessExpiresAt: new Date(exp * 1000).toISOString() };
}

export function participantOf(claims: ParticipantClaims): ParticipantCaller {
  const { session, as, av: version = 0, mode, from = null } = claims;
  return {
    kind: 'participant',
    id: as,
    version,
    sessionId: session,
    mayJoin: mode === 'join',
    from,
  };
}

export function observesOnly(): AppError {
  const detail = 'This token may only observe: ask for a token with the mode `join`.';
  return new AppError('forbidden', 'an observer asked to take part', { detail });
}
