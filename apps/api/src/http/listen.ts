import { hasCode, StartError } from '@session/kit';
import type { ZodApp } from './zod-app.ts';

const REASONS = {
  EADDRINUSE: 'is taken by another program: set PORT',
  EADDRNOTAVAIL: 'is not an address of this machine: set HOST',
  ENOTFOUND: 'is not an address: set HOST',
  EACCES: 'may not be used by this user: set PORT',
} as const;
/**
 * The kernel's default maximum. With Node's 511, thousands of streams that reconnect at once would wait up to a minute
 * for TCP's retries.
 */
const BACKLOG = 4096;

export async function listen(app: ZodApp, address: { host: string; port: number }): Promise<void> {
  try {
    await app.listen({ ...address, backlog: BACKLOG });
  } catch (cause) {
    for (const [code, reason] of Object.entries(REASONS)) {
      const name = `${address.host}:${address.port}`;
      if (hasCode(cause, code)) throw new StartError(`${name} ${reason}.`, { cause });
    }
    throw cause;
  }
}
