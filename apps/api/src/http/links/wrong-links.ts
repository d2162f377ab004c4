import { AppError } from '@session/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { COUNTED_KEYS } from '../plugins/rate-limit.ts';
import type { ZodApp } from '../zod-app.ts';

const WRONG_PER_MINUTE = 20;

const TOO_MANY =
  'Too many invalid links came from your network. Wait for the number of seconds in the Retry-After header.';

/** Requires no exact length, so that a truncated secret gets the same answer as a wrong one. */
export const LinkSecret = z.string().min(1).max(200).describe('What follows the `#` of the link');

export interface WrongLinks {
  /** Throws `too_many_requests` for a network that sent too many wrong secrets in the last minute. */
  refuseNetwork(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  refuse(request: FastifyRequest): Promise<never>;
}

/** Counts wrong secrets of links by network, over all routes that take one. Each process counts for itself. */
export function countWrongLinks(app: ZodApp): WrongLinks {
  const limit = { max: WRONG_PER_MINUTE, timeWindow: 60_000, cache: COUNTED_KEYS };
  const wrong = app.createRateLimit(limit);
  return {
    async refuseNetwork(request, reply) {
      const counted = await wrong(request, { increment: false });
      if (counted.isAllowed || counted.remaining > 0) return;
      void reply.header('retry-after', counted.ttlInSeconds);
      throw new AppError('too_many_requests', 'too many wrong links', { detail: TOO_MANY });
    },
    async refuse(request) {
      await wrong(request);
      throw new AppError('link_invalid', 'the secret of a link is refused');
    },
  };
}
