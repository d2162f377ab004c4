import { listenAt } from '@session/kit';
import type { ZodApp } from './zod-app.ts';

/**
 * The kernel's default maximum. With Node's 511, thousands of streams that reconnect at once would wait up to a minute
 * for TCP's retries.
 */
const BACKLOG = 4096;

export async function listen(app: ZodApp, address: { host: string; port: number }): Promise<void> {
  await listenAt(address, () => app.listen({ ...address, backlog: BACKLOG }));
}
