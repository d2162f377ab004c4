import { createHmac } from 'node:crypto';
import { claimKey, type DatabaseAccess, inTransaction } from '@session/db';
import { AppError, hasCode } from '@session/kit';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import * as z from 'zod';
import type { Config } from '../config.ts';
import { actorOf, type Caller } from './callers/caller.ts';
import type { ZodApp } from './zod-app.ts';

export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'A name for this request. The same request with the same key within 24 hours creates nothing twice',
    ),
});
export const IDEMPOTENCY_CODES = ['idempotency_key_reused', 'idempotency_in_progress'] as const;

declare module 'fastify' {
  interface FastifyRequest {
    isReplayed: boolean;
  }
}

const Params = z.record(z.string(), z.string());

export function markReplays(app: ZodApp): void {
  app.decorateRequest('isReplayed', false);
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.isReplayed && reply.statusCode < 300) {
      void reply.header('idempotent-replayed', 'true');
    }
    done();
  });
}

export interface CreatingRequest {
  isReplayed: boolean;
  readonly caller: Caller;
  readonly userId: string;
  readonly tokenVersion: number;
  readonly method: string;
  readonly routeOptions: { readonly url?: string | undefined };
  readonly params: unknown;
  readonly body: unknown;
  readonly headers: z.output<typeof idempotencyHeaders>;
}

/**
 * Creates an object with `create`, which stores it under the given id in the given database, and returns the id. A
 * repeat within 24 h with the same `Idempotency-Key`, user, method, route, parameters and body returns the first id
 * (`isReplayed`). Throws `idempotency_key_reused` if only the body differs, and `idempotency_in_progress` while the first
 * request runs. When `create` throws, the key stays free.
 */
export type CreateOnce = (
  request: CreatingRequest,
  create: (database: DatabaseAccess, id: string) => Promise<unknown>,
  id?: string,
) => Promise<string>;

/**
 * Hashes bodies with the secret, because a plain hash could reveal secrets in them. Also accepts hashes with the
 * previous secret.
 */
export function prepareCreateOnce(
  database: DatabaseAccess,
  { secret, previousSecret = secret }: Config['jwt'],
): CreateOnce {
  return async (request, create, id = uuidv7()) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined) {
      await create(database, id);
      return id;
    }
    const { method, body } = request;
    const claim = {
      scope: uuidv5(`${method} ${pathOf(request)}`, actorOf(request)),
      key,
      requestHash: hashOf(body, secret),
      formerHash: hashOf(body, previousSecret),
      objectId: id,
    };
    let createdId = id;
    await inTransaction(database, async (transaction) => {
      const former = await claimKey(transaction, claim).catch((error: unknown) => {
        if (hasCode(error, '55P03')) throw inProgress(error);
        throw error;
      });
      if (!former) await create(transaction, id);
      else if (former.isSame) {
        createdId = former.objectId;
        request.isReplayed = true;
      } else throw reused();
    });
    return createdId;
  };
}

/** Returns the path in one spelling: the router also accepts `%61` for an `a`, and an id in upper case. */
function pathOf({ routeOptions: { url = '' }, params }: CreatingRequest): string {
  const values = Params.parse(params);
  return url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

function hashOf(body: unknown, secret: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(body ?? null))
    .digest();
}

function reused(): AppError {
  const detail = 'This Idempotency-Key was used for another request: send a new key.';
  return new AppError('idempotency_key_reused', 'the body differs', { detail });
}

function inProgress(cause: unknown): AppError {
  const detail = 'A request with this Idempotency-Key is still running: try again in a moment.';
  return new AppError('idempotency_in_progress', 'the key is locked', { detail, cause });
}
