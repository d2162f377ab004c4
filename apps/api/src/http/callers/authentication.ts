import jwt, { type VerifyOptions } from '@fastify/jwt';
import { AppError, hasCode } from '@session/kit';
import type { FastifyRequest } from 'fastify';
import { validate as isUuid } from 'uuid';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../zod-app.ts';
import { API_KEY_PREFIX } from './api-key-text.ts';
import type { Caller, ParticipantCaller } from './caller.ts';
import { oldestTokenSeconds } from './ended-tokens.ts';
import { acceptApiKeys } from './key-callers.ts';
import {
  LATE_PARTICIPANT_AUDIENCE,
  PARTICIPANT_AUDIENCE,
  type ParticipantClaims,
  participantOf,
} from './participant-tokens.ts';

const ISSUER = 'session-service';
const AUDIENCE = 'session-service-api';

interface PersonClaims {
  readonly sub: string;
  /** The version of the user's tokens; absent in tokens of a former release, which count as version 0. */
  readonly v?: number;
}

type Claims = PersonClaims & { readonly exp: number; readonly iat: number } & (
    | { readonly aud: typeof AUDIENCE }
    | (ParticipantClaims & {
        readonly aud: typeof PARTICIPANT_AUDIENCE | typeof LATE_PARTICIPANT_AUDIENCE;
      })
  );

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: PersonClaims & Partial<ParticipantClaims>;
  }
}

const VERIFY = {
  algorithms: ['HS256' as const],
  // An absent claim is not compared with the allowed values, so each claim is also required.
  requiredClaims: ['exp', 'iat', 'sub', 'iss', 'aud'],
  allowedIss: ISSUER,
  allowedAud: [AUDIENCE, PARTICIPANT_AUDIENCE, LATE_PARTICIPANT_AUDIENCE],
  // Verified tokens are cached for ten minutes, so that a check takes 1.6 instead of 8.3 µs. With more callers than
  // this in turn, each token would be evicted before its next use.
  cache: 10_000,
};

const PERSON: Caller = { kind: 'person' };
const KEY: Caller = { kind: 'key' };

const NO_BEARER =
  'Send the header `Authorization: Bearer <token>`: an API key, a token of POST /auth/signup or POST /auth/login, or the `accessToken` that the backend of a product got for its user.';

const Params = z.record(z.string(), z.string());

/**
 * Requires a valid token or API key from every request, even from one that matches no route, unless the route has
 * `config.public`. `config.people` refuses keys. A participant reaches only routes with `config.participant`. Adds
 * `app.jwt.sign({sub, v})` for persons. A token of the previous secret stays valid until it expires.
 */
export async function authenticate(
  app: ZodApp,
  { config, database, endedTokens }: Pick<Deps, 'config' | 'database' | 'endedTokens'>,
): Promise<void> {
  const { secret, previousSecret, lifetimeSeconds } = config.jwt;
  // Ended tokens are remembered only for about this time, so an older token must not be accepted, even if its lifetime
  // was longer.
  const verify = { ...VERIFY, maxAge: oldestTokenSeconds(lifetimeSeconds) };
  // Has no cache, because each call with these options would create another.
  const former =
    previousSecret === undefined ? undefined : { ...verify, cache: false, key: previousSecret };
  await app.register(jwt, {
    secret,
    sign: { algorithm: 'HS256', expiresIn: lifetimeSeconds, iss: ISSUER, aud: AUDIENCE },
    verify,
  });
  const findKey = acceptApiKeys(app, database);
  app.onNotification('caller_changed', endedTokens);
  app.addHook('onReady', () => endedTokens.start());
  app.decorateRequest('userId', '');
  app.decorateRequest('caller');
  app.decorateRequest('tokenVersion', 0);
  app.decorateRequest('expiresAt', 0);
  app.decorateRequest('issuedAt', 0);
  app.addHook('onRequest', async (request, reply) => {
    const { config: route } = request.routeOptions;
    request.caller = PERSON;
    if (route.public) return;
    const bearer = bearerOf(request);
    if (bearer.startsWith(API_KEY_PREFIX)) {
      const { userId, tokenVersion, expiresAt } = await findKey(bearer, request, reply);
      request.userId = userId;
      request.tokenVersion = tokenVersion;
      request.expiresAt = expiresAt === null ? Infinity : Date.parse(expiresAt);
      request.caller = KEY;
      if (route.people) throw new AppError('people_only', 'the route refuses API keys');
      return;
    }
    const claims = claimsOf(() => verified(app, bearer, former));
    const { sub, iat, v = 0, exp } = claims;
    endedTokens.assertCurrent(sub, v);
    request.expiresAt = exp * 1000;
    request.userId = sub;
    request.tokenVersion = v;
    request.issuedAt = iat * 1000;
    if (claims.aud === AUDIENCE) return;
    const caller = participantOf(claims);
    endedTokens.assertCurrent(caller.id, caller.version);
    assertOpen(request, caller);
    request.caller = caller;
  });
}

function bearerOf({ headers }: FastifyRequest): string {
  const [, bearer] = /^Bearer +([^ ]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (bearer !== undefined) return bearer;
  throw new AppError('unauthorized', 'no bearer token', { detail: NO_BEARER });
}

const OWN_SESSION =
  'The token of an end user opens its own session only, to read and to speak in it. Everything else is for the backend of the product, with its API key.';

/** Throws `not_found` unless the route is open to participants, and the request is about this participant's session. */
function assertOpen(
  { routeOptions, params }: FastifyRequest,
  { sessionId }: ParticipantCaller,
): void {
  const { participant } = routeOptions.config;
  if (participant === 'self') return;
  const asked = participant && Params.parse(params)[participant];
  if (asked?.toLowerCase() === sessionId) return;
  throw new AppError('not_found', 'a participant asks for more than the session of the token', {
    detail: OWN_SESSION,
  });
}

function claimsOf(verify: () => Claims): Claims {
  try {
    const claims = verify();
    if (isUuid(claims.sub)) return claims;
  } catch (cause) {
    // The reason is only logged, because all that the client can do is get another token.
    const detail =
      'The token is not valid or has expired. Log in again with POST /auth/login. If the token came from the backend of a product, ask that backend for a new one.';
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('unauthorized', `the token is refused: ${why}`, { detail });
  }
  throw new AppError('unauthorized', 'the token names no user');
}

function verified(app: ZodApp, token: string, former: Partial<VerifyOptions> | undefined): Claims {
  try {
    return app.jwt.verify<Claims>(token);
  } catch (error) {
    if (former === undefined || !hasCode(error, 'FAST_JWT_INVALID_SIGNATURE')) throw error;
    return app.jwt.verify<Claims>(token, former);
  }
}
