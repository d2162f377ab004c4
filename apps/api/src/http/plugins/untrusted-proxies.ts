import type { ZodApp } from '../zod-app.ts';
import { onceAMinute } from './rare-warning.ts';

const HELP = 'if this is your proxy, set TRUSTED_PROXIES: else all its clients share one limit';

/**
 * Logs a warning, at most once a minute, when a request names its client in `X-Forwarded-For` and comes from a peer that is not
 * a trusted proxy. Behind such a proxy all clients count as one, so a few of them use up the limits of all.
 */
export function warnOfUntrustedProxies(app: ZodApp, now?: () => number): void {
  const rarely = onceAMinute(now);
  app.addHook('onRequest', (request, _reply, done) => {
    const peer = request.socket.remoteAddress;
    const isIgnored = request.headers['x-forwarded-for'] !== undefined && request.ip === peer;
    if (isIgnored) {
      rarely(() => {
        request.log.warn({ peer }, `ignored X-Forwarded-For of an untrusted peer; ${HELP}`);
      });
    }
    done();
  });
}
