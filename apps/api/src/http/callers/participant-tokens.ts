import { AppError } from '@session/kit';
import type { ZodApp } from '../zod-app.ts';
import type { ParticipantCaller } from './caller.ts';

/** An audience of its own: a process of a former release would take any other token of ours for that of its `sub`. */
export const PARTICIPANT_AUDIENCE = 'session-service-participant';

export interface ParticipantClaims {
  readonly session: string;
  /** The account of the end user. */
  readonly as: string;
  readonly mode: 'join' | 'observe';
}

/** Returns a token with which an end user calls the API about one session, and when it expires (ISO 8601). */
export function signParticipantToken(
  app: ZodApp,
  claims: ParticipantClaims & { readonly sub: string; readonly v: number },
  ttlSeconds: number,
): { readonly accessToken: string; readonly accessExpiresAt: string } {
  const accessToken = app.jwt.sign(claims, { aud: PARTICIPANT_AUDIENCE, expiresIn: ttlSeconds });
  const { exp = 0 } = app.jwt.decode<{ exp?: number }>(accessToken) ?? {};
  return { accessToken, accessExpiresAt: new Date(exp * 1000).toISOString() };
}

export function participantOf({ session, as, mode }: ParticipantClaims): ParticipantCaller {
  return { kind: 'participant', id: as, sessionId: session, mayJoin: mode === 'join' };
}

/** Returns what is thrown when an observer would take part. */
export function observesOnly(): AppError {
  const detail = 'This token may observe only: ask for one with the mode `join`.';
  return new AppError('forbidden', 'an observer would take part', { detail });
}
