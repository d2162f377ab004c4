import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../callers/caller.ts';
import type { ZodApp } from '../zod-app.ts';

const IPV6_NETWORK_BITS = 64;
/** The largest network of IPv6 that one customer gets (RFC 6177). */
const IPV6_SITE_BITS = 48;
/**
 * How many keys a limit counts at the same time. Beyond that, the limit forgets the key that was counted the longest
 * ago.
 */
export const COUNTED_KEYS = 20_000;

/** Limits routes that are registered later with `limitedTo` or `limitedByUser`. A client of IPv6 counts by its /64. */
export async function limitRates(app: ZodApp): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    ipv6Subnet: IPV6_NETWORK_BITS,
    cache: COUNTED_KEYS,
    enableDraftSpec: true,
  });
}

export function networkOf(ip: string): string {
  return normalizeIP(ip, IPV6_NETWORK_BITS);
}

export function siteOf(ip: string): string {
  return normalizeIP(ip, IPV6_SITE_BITS);
}

export function limitedByUser(
  perMinute: number,
  counts: (request: FastifyRequest) => boolean = () => true,
) {
  const limit = { max: perMinute, timeWindow: 60_000, cache: COUNTED_KEYS };
  const allowList = (request: FastifyRequest) => !counts(request);
  return { rateLimit: { ...limit, keyGenerator: actorOf, allowList } };
}

export function limitedTo(perMinute: number) {
  return perMinute === 0
    ? {}
    : { rateLimit: { max: perMinute, timeWindow: 60_000, cache: COUNTED_KEYS } };
}
