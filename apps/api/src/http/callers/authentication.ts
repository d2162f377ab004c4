import jwt, { type VerifyOptions } from '@fastify/jwt';
import { AppError, hasCode } from '@session/kit';
import type { FastifyRequest } from 'fastify';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../zod-app.ts';
import { API_KEY_PREFIX } from './api-key-text.ts';
import { acceptApiKeys } from './key-callers.ts';

const ISSUER = 'session-service';
const AUDIENCE = 'session-service-api';

declare module 'fastify' {
  interface FastifyContextConfig {
    public?: boolean;
    /** Closed to API keys. */
    people?: boolean;
    /** The answer may take longer than a second, so it ends when its token ends. */
    long?: boolean;
  }
  interface FastifyRequest {
    /** Names the account of the caller; empty on a public route. Whether it still exists is up to the statements. */
    userId: string;
    callerKind: 'person' | 'key';
    tokenVersion: number;
  }
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Claims;
  }
}

interface Claims {
  sub: string;
  /** The version of the user's tokens; absent in tokens of a former release, which are of version 0. */
  v?: number;
}

const VERIFY = {
  algorithms: ['HS256' as const],
  // A missing claim is not compared with the allowed values, so each claim is required as well.
  requiredClaims: ['exp', 'iat', 'sub', 'iss', 'aud'],
  allowedIss: ISSUER,
  allowedAud: AUDIENCE,
  // Verified tokens stay here until they expire: a check then takes 1.6 instead of 8.3 µs.
  cache: 1000,
};

const NO_BEARER =
  'Send the header `Authorization: Bearer <token>`, with an API key or with a token that POST /auth/signup or POST /auth/login returns.';

/**
/**
 * Requires a valid token or API key of every request, even of those that match no route. A route opts out with
 * `config: {public: true}`, and refuses keys with `config: {people: true}`. Adds `app.jwt.sign({sub, v})`, which issues a token. A
 * token that the previous secret signed stays valid until it expires. Whether a token has ended is checked after its
 * verification, whose result is kept.
 */
export async function authenticate(
  app: ZodApp,
  { config, database, endedTokens }: Pick<Deps, 'config' | 'database' | 'endedTokens'>,
): Promise<void> {
  const { secret, previousSecret, lifetimeSeconds } = config.jwt;
  // Ended tokens are remembered for this long: a token of a former, longer lifetime must not outlast that.
  const verify = { ...VERIFY, maxAge: lifetimeSeconds };
  // No cache: each of these calls would make one, of 1,000 tokens.
  const former =
    previousSecret === undefined ? undefined : { ...verify, cache: false, key: previousSecret };
  await app.register(jwt, {
    secret,
    sign: { algorithm: 'HS256', expiresIn: lifetimeSeconds, iss: ISSUER, aud: AUDIENCE },
    verify,
  });
  const accountOfKey = acceptApiKeys(app, database);
  app.onNotification('caller_changed', endedTokens);
  app.addHook('onReady', () => endedTokens.start());
  app.decorateRequest('userId', '');
  app.decorateRequest('callerKind', 'person');
  app.decorateRequest('tokenVersion', 0);
  app.addHook('onRequest', async (request, reply) => {
    const { config: route } = request.routeOptions;
    if (route.public) return;
    const bearer = bearerOf(request);
    if (!bearer.startsWith(API_KEY_PREFIX)) {
      const { sub, v = 0 } = claimsOf(() => verified(app, bearer, former));
      endedTokens.assertCurrent(sub, v);
      request.userId = sub;
      request.tokenVersion = v;
      return;
    }
    request.userId = await accountOfKey(bearer, request, reply);
    request.callerKind = 'key';
    if (route.people) throw new AppError('people_only', 'a route for people, with a key');
  });
}

function bearerOf({ headers }: FastifyRequest): string {
  const [, bearer] = /^Bearer +([^ ]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (bearer !== undefined) return bearer;
  throw new AppError('unauthorized', 'no bearer token', { detail: NO_BEARER });
}

function claimsOf(verify: () => Claims): Claims {
  try {
    const claims = verify();
    if (isUuid(claims.sub)) return claims;
  } catch (cause) {
    // The reason goes to the log only: the client can do nothing but get another token.
    const detail = 'The token is not valid or has expired. POST /auth/login returns a new one.';
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
