import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { isLocalRequest, isOwnPage } from './local-request.ts';
import { sendProblem } from './problems.ts';

export const DEMO_LOGIN = '/demo-login';

export interface DemoTokens {
  readonly key: string;
  token(): Promise<string>;
}

/**
 * Serves the pages' configuration, and returns a token of the demo account to our own pages in a browser of this machine.
 * Headers can be forged at the other end of a tunnel, so a page also needs the key, which is only in the stack's terminal and
 * its private files. `demoAccount` returns undefined if there is no account.
 */
export function serveDemo(
  app: FastifyInstance,
  apiUrl: string,
  demoAccount: () => DemoTokens | undefined,
): void {
  app.get('/config.json', async ({ raw }, reply) => {
    const demo = isLocalRequest(raw) && demoAccount() !== undefined;
    return reply.header('cache-control', 'no-store').send({ apiUrl, demo });
  });
  app.post(DEMO_LOGIN, async ({ raw }, reply) => {
    const account = demoAccount();
    if (!account) {
      return sendProblem(reply, 'not_found', 'This console has no demo account: sign up instead.');
    }
    if (!(isLocalRequest(raw) && isOwnPage(raw))) {
      const detail =
        'The demo account works only in a browser on the machine that runs the stack: sign up instead.';
      return sendProblem(reply, 'forbidden', detail);
    }
    if (!isSame(raw.headers.authorization ?? '', `Bearer ${account.key}`)) {
      const detail =
        'The key of the demo account is missing: open the first address that npm start prints.';
      return sendProblem(reply, 'forbidden', detail);
    }
    try {
      return await reply.header('cache-control', 'no-store').send({ token: await account.token() });
    } catch {
      void reply.header('retry-after', '1');
      const detail = 'The API returned no token for the demo account: try again in a moment.';
      return sendProblem(reply, 'unavailable', detail);
    }
  });
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
