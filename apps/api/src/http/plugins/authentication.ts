import jwt from '@fastify/jwt';
import { AppError } from '@session/kit';
import type { FastifyRequest } from 'fastify';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../zod-app.ts';

const ISSUER = 'session-service';
const AUDIENCE = 'session-service-api';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route answers without a token. */
    public?: boolean;
  }
  interface FastifyRequest {
    /** Who calls, by their token; empty on a public route. That the user still exists is for the queries to say. */
    userId: string;
  }
}

declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: { sub: string };
  }
}

/**
 * Asks every request for a valid token, those that match no route too; a route opts out with `config: {public: true}`.
 * Makes `app.jwt.sign({sub})` give such a token.
 */
export async function authenticate(app: ZodApp, { config }: Deps): Promise<void> {
  await app.register(jwt, {
    secret: config.jwt.secret,
    sign: {
      algorithm: 'HS256',
      expiresIn: config.jwt.lifetimeSeconds,
      iss: ISSUER,
      aud: AUDIENCE,
    },
    verify: {
      algorithms: ['HS256'],
      // A claim that is missing is not compared: it must be required as well.
      requiredClaims: ['exp', 'iat', 'sub', 'iss', 'aud'],
      allowedIss: ISSUER,
      allowedAud: AUDIENCE,
      // Of verified tokens, until they expire: a check takes 1.6 instead of 8.3 µs.
      cache: 1000,
    },
  });
  app.decorateRequest('userId', '');
  app.addHook('onRequest', async (request) => {
    if (!request.routeOptions.config.public) request.userId = callerOf(app, request);
  });
}

/** Gives the user of the request's bearer token; throws `unauthorized` without one that is valid. */
function callerOf(app: ZodApp, request: FastifyRequest): string {
  const [, token] = /^Bearer +([^ ]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) {
    const detail =
      'A header `Authorization: Bearer <token>` is needed; signup and login give the token.';
    throw new AppError('unauthorized', 'no bearer token', { detail });
  }
  try {
    const { sub } = app.jwt.verify<{ sub: string }>(token);
    if (isUuid(sub)) return sub;
  } catch (cause) {
    // What is wrong with it is for the log: the bearer can only get another one.
    const detail = 'The token is not valid or has expired: POST /auth/login gives a new one.';
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('unauthorized', `the token is refused: ${why}`, { detail });
  }
  throw new AppError('unauthorized', 'the token names no user');
}
