import type { ZodApp } from '../zod-app.ts';
import { onceAMinute } from './rare-warning.ts';

const HELP = 'if this is your proxy, set TRUSTED_PROXIES, or all its clients share one limit';

/** Warns, at most once a minute, of `X-Forwarded-For` from an untrusted proxy, because all its clients count as one. */
export function warnOfUntrustedProxies(app: ZodApp, now?: () => number): void {
  const rarely = onceAMinute(now);
  app.addHook('onRequest', (request, _reply, done) => {
    const peer = request.socket.remoteAddress;
    const isIgnored = request.headers['x-forwarded-for'] !== undefined && request.ip === peer;
    if (isIgnored) {
      rarely(() => {
        request.log.warn({ peer }, `ignored X-Forwarded-For of untrusted peer; ${HELP}`);
      });
    }
    done();
  });
}
