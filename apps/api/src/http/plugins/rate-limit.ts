import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyRequest } from 'fastify';
import type { ZodApp } from '../zod-app.ts';

const IPV6_NETWORK_BITS = 64;
/** One customer gets at most this network of IPv6 (RFC 6177). */
const IPV6_SITE_BITS = 48;
/** How many keys a limit counts at the same time: beyond it the key that was counted the longest ago is forgotten. */
export const COUNTED_KEYS = 20_000;

/**
 * Limits the routes that are registered after this call and ask for it with `limitedTo`. An IPv6 address counts by its /64:
 * a single client has at least that many addresses.
 */
export async function limitRates(app: ZodApp): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    ipv6Subnet: IPV6_NETWORK_BITS,
    cache: COUNTED_KEYS,
    enableDraftSpec: true,
  });
}

/** Returns the network that a client with the address `ip` is counted by. */
export function networkOf(ip: string): string {
  return normalizeIP(ip, IPV6_NETWORK_BITS);
}

/** Returns the network that holds all networks of one customer: an IPv4 address for itself. */
export function siteOf(ip: string): string {
  return normalizeIP(ip, IPV6_SITE_BITS);
}

/**
 * Returns the part of a route's `config` that limits each user to `perMinute` requests a minute. Those for which `counts` is
 * false are not limited.
 */
export function limitedByUser(
  perMinute: number,
  counts: (request: FastifyRequest) => boolean = () => true,
) {
  const limit = { max: perMinute, timeWindow: 60_000, cache: COUNTED_KEYS };
  const allowList = (request: FastifyRequest) => !counts(request);
  return { rateLimit: { ...limit, keyGenerator: userOf, allowList } };
}

function userOf({ userId }: FastifyRequest): string {
  return userId;
}

/** Returns the part of a route's `config` that limits each address to `perMinute` requests a minute; 0 means no limit. */
export function limitedTo(perMinute: number) {
  return perMinute === 0
    ? {}
    : { rateLimit: { max: perMinute, timeWindow: 60_000, cache: COUNTED_KEYS } };
}
