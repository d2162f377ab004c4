import * as db from '@session/db';
import { AppError, repeat } from '@session/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COUNTED_KEYS } from '../plugins/rate-limit.ts';
import type { ZodApp } from '../zod-app.ts';
import { parseApiKey } from './api-key-text.ts';
import { KnownSecrets } from './known-secrets.ts';

const REFUSED_PER_MINUTE = 20;
const NOTE_USES_MS = 60_000;

const WRONG =
  'The API key is not valid: it is unknown, expired or deleted. An ADMIN of the project creates a new one with POST /projects/{projectId}/api-keys.';
const TOO_MANY =
  'Too many wrong API keys came from your network. Wait for the number of seconds in the Retry-After header.';

export type FindKey = (
  text: string,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<db.SecretRow>;

/**
 * Counts wrong keys by network. From a network that sent too many, accepts only keys that were valid when last checked.
 */
export function acceptApiKeys(app: ZodApp, database: db.DatabaseAccess): FindKey {
  const { findSecret, noteSecretUses } = db;
  const secrets = new KnownSecrets(db.bind(database, { findSecret, noteSecretUses }));
  const limit = { max: REFUSED_PER_MINUTE, timeWindow: 60_000, cache: COUNTED_KEYS };
  const refused = app.createRateLimit(limit);
  app.onNotification('caller_changed', {
    onChange: (_, id) => secrets.forget(id),
    onListening: () => secrets.listening(),
  });
  const stop = new AbortController();
  let noting: Promise<void> | undefined;
  app.addHook('onReady', async () => {
    // The first round begins at once, when no key was used yet.
    noting = repeat(NOTE_USES_MS, stop.signal, async () => await noteUses(app, secrets));
  });
  app.addHook('onClose', async () => {
    stop.abort();
    await noting;
    await noteUses(app, secrets);
  });
  return async (text, request, reply) => {
    const key = parseApiKey(text);
    if (!(key && (await secrets.wasValid(key)))) {
      const counted = await refused(request, { increment: false });
      if (!counted.isAllowed && counted.remaining === 0) {
        void reply.header('retry-after', counted.ttlInSeconds);
        throw new AppError('too_many_requests', 'too many wrong API keys', { detail: TOO_MANY });
      }
    }
    const secret = key && (await secrets.find(key));
    if (secret) return secret;
    await refused(request);
    throw new AppError('unauthorized', 'the API key is refused', { detail: WRONG });
  };
}

async function noteUses(app: ZodApp, secrets: KnownSecrets): Promise<void> {
  try {
    await secrets.noteUses();
  } catch (error) {
    app.log.warn({ err: error }, 'storing last use of API keys failed');
  }
}
