import rateLimit from '@fastify/rate-limit';
import type { ZodApp } from '../zod-app.ts';

/** Limits the routes that are registered after this call and ask for it with `limitedTo`. */
export async function limitRates(app: ZodApp): Promise<void> {
  await app.register(rateLimit, { global: false });
}

/** Returns the part of a route's `config` that limits each address to `perMinute` requests a minute; 0 means no limit. */
export function limitedTo(perMinute: number) {
  return perMinute === 0 ? {} : { rateLimit: { max: perMinute, timeWindow: 60_000 } };
}
