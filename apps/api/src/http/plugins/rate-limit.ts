import rateLimit from '@fastify/rate-limit';
import type { ZodApp } from '../zod-app.ts';

/**
 * Limits the routes that are registered after this call and ask for it with `limitedTo`. An IPv6 address counts by its /64:
 * a single client has at least that many addresses.
 */
export async function limitRates(app: ZodApp): Promise<void> {
  await app.register(rateLimit, { global: false, ipv6Subnet: 64 });
}

/** Returns the part of a route's `config` that limits each address to `perMinute` requests a minute; 0 means no limit. */
export function limitedTo(perMinute: number) {
  return perMinute === 0 ? {} : { rateLimit: { max: perMinute, timeWindow: 60_000 } };
}
