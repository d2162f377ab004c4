import { AppError } from '@session/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COUNTED_KEYS, networkOf } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';

const WINDOW_MS = 15 * 60_000;
const FAILURES_OF_NETWORK = 10;
const FAILURES_OF_ACCOUNT = 100;
const STRANGERS_MS = 10_000;

const FROM_NETWORK =
  'Too many wrong passwords for this e-mail address came from your network. Wait for the number of seconds in the Retry-After header, or log in from another network.';
const FROM_ELSEWHERE =
  'Too many wrong passwords were sent for this e-mail address. Wait for the number of seconds in the Retry-After header, or log in from a network that you have used before.';

declare module 'fastify' {
  interface FastifyRequest {
    triedEmail: string;
  }
}

export interface FailedLogins {
  refuseNetwork(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Throws `too_many_requests` when too many wrong passwords came from all networks together, and another stranger has just
   * tried. A stranger is a network that is not among those of the account's last logins.
   */
  refuseStranger(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  count(request: FastifyRequest): Promise<void>;
}

/**
 * Counts wrong passwords by account and network, and by account. A network that sent too many is locked out of the
 * account. When all networks together sent too many, owners still get in from the networks of their last logins. From
 * other networks they share the slow attempts of strangers. Addresses without an account count in the same way. Each
 * process counts for itself.
 */
export function countFailedLogins(app: ZodApp): FailedLogins {
  app.decorateRequest('triedEmail', '');
  const limit = (keyGenerator: typeof account, max: number, timeWindow: number) => {
    const options = { keyGenerator, max, timeWindow, cache: COUNTED_KEYS };
    return app.createRateLimit(options);
  };
  const ofNetwork = limit(accountAndNetwork, FAILURES_OF_NETWORK, WINDOW_MS);
  const ofAccount = limit(account, FAILURES_OF_ACCOUNT, WINDOW_MS);
  const ofStrangers = limit(account, 1, STRANGERS_MS);
  return {
    async refuseNetwork(request, reply) {
      const failures = await ofNetwork(request, { increment: false });
      if (failures.isAllowed || failures.remaining > 0) return;
      refuse(reply, failures.ttlInSeconds, FROM_NETWORK);
    },
    async refuseStranger(request, reply) {
      const failures = await ofAccount(request, { increment: false });
      if (failures.isAllowed || failures.remaining > 0) return;
      const attempts = await ofStrangers(request);
      if (attempts.isAllowed || !attempts.isExceeded) return;
      refuse(reply, attempts.ttlInSeconds, FROM_ELSEWHERE);
    },
    async count(request) {
      await Promise.all([ofNetwork(request), ofAccount(request)]);
    },
  };
}

function refuse(reply: FastifyReply, seconds: number, detail: string): never {
  void reply.header('retry-after', seconds);
  throw new AppError('too_many_requests', 'too many wrong passwords', { detail });
}

function account({ triedEmail }: FastifyRequest): string {
  return triedEmail;
}

function accountAndNetwork(request: FastifyRequest): string {
  return `${account(request)} ${networkOf(request.ip)}`;
}
