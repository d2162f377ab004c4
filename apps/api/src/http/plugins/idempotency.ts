import { createHmac } from 'node:crypto';
import {
  type DatabaseAccess,
  inTransaction,
  prepareAgentQueries,
  prepareEnvTemplateQueries,
  prepareIdempotencyKeyQueries,
  prepareMembershipQueries,
  prepareMessageQueries,
  preparePlanTemplateQueries,
  prepareProjectQueries,
  prepareSessionQueries,
} from '@session/db';
import { AppError, hasCode } from '@session/kit';
import { v5 as uuidv5, v7 as uuidv7 } from 'uuid';
import * as z from 'zod';

/** The headers of every route that makes an object, and what goes wrong with them. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Names this request: sent again within 24 hours, it makes nothing twice'),
});
export const IDEMPOTENCY_CODES = ['idempotency_key_reused', 'idempotency_in_progress'] as const;

/** What makes objects. */
type Makers = ReturnType<typeof makersOn>;

interface CreatingRequest {
  readonly userId: string;
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly headers: z.output<typeof idempotencyHeaders>;
}

/**
 * Makes the object that a request asks for, and gives its id: `make` gets what stores it and the id to store it under.
 * With an `Idempotency-Key` it is made once: to the same request of the same caller within 24 h it gives the id of what the
 * first one made. Throws `idempotency_key_reused` for another request with that key, `idempotency_in_progress` while the
 * first is at work, and what `make` throws; then nothing is made, and the key is free.
 */
export type CreateOnce = (
  request: CreatingRequest,
  make: (makers: Makers, id: string) => Promise<unknown>,
  id?: string,
) => Promise<string>;

/**
 * Gives `createOnce` on `database`, of which `makers` are prepared. `secret` keys the hashes: a body may hold secrets that
 * could be guessed from a bare one.
 */
export function prepareCreateOnce(
  database: DatabaseAccess,
  makers: Makers,
  secret: string,
): CreateOnce {
  return async (request, make, id = uuidv7()) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined) {
      await make(makers, id);
      return id;
    }
    const { userId, method, url, body } = request;
    const claim = {
      scope: uuidv5(`${method} ${url.split('?')[0]}`, userId),
      key,
      requestHash: createHmac('sha256', secret)
        .update(JSON.stringify(body ?? null))
        .digest(),
      objectId: id,
    };
    let madeId = id;
    await inTransaction(database, async (transaction) => {
      const keys = prepareIdempotencyKeyQueries(transaction);
      const made = await keys.claimKey(claim).catch((error: unknown) => {
        if (hasCode(error, '55P03')) throw inProgress(error);
        throw error;
      });
      if (!made) await make(makersOn(transaction), id);
      else if (made.isSame) madeId = made.objectId;
      else throw reused();
    });
    return madeId;
  };
}

/** Each is prepared when it is used: a transaction needs one of them. */
function makersOn(database: DatabaseAccess) {
  return {
    get projects() {
      return prepareProjectQueries(database);
    },
    get memberships() {
      return prepareMembershipQueries(database);
    },
    get sessions() {
      return prepareSessionQueries(database);
    },
    get messages() {
      return prepareMessageQueries(database);
    },
    get agents() {
      return prepareAgentQueries(database);
    },
    get envTemplates() {
      return prepareEnvTemplateQueries(database);
    },
    get planTemplates() {
      return preparePlanTemplateQueries(database);
    },
  };
}

function reused(): AppError {
  const detail = 'The Idempotency-Key belongs to another request: send a new one.';
  return new AppError('idempotency_key_reused', 'the body is another', { detail });
}

function inProgress(cause: unknown): AppError {
  const detail = 'A request with this Idempotency-Key is at work: send it again in a moment.';
  return new AppError('idempotency_in_progress', 'the key is locked', { detail, cause });
}
