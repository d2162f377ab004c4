import type { ServerResponse } from 'node:http';
import type { EndedTokens } from '../callers/ended-tokens.ts';
import type { ZodApp } from '../zod-app.ts';

/**
 * How long a request has to report that its token has ended. A client that reads nothing must not keep the request
 * open.
 */
const PARTING_MS = 1000;

interface Running {
  readonly version: number;
  readonly end: () => void;
}

/**
 * Ends requests of routes with `config.long` when their token ends, because they were authenticated only at their
 * beginning, up to an hour before.
 */
export function endLongRequests(app: ZodApp, endedTokens: EndedTokens): void {
  const running = new Map<string, Map<ServerResponse, Running>>();
  const add = (raw: ServerResponse, userId: string, request: Running) => {
    // The token may have ended since it was checked, without a further notification.
    endedTokens.assertCurrent(userId, request.version);
    const ofUser = running.get(userId) ?? new Map<ServerResponse, Running>();
    running.set(userId, ofUser.set(raw, request));
    raw.once('close', () => {
      ofUser.delete(raw);
      if (ofUser.size === 0 && running.get(userId) === ofUser) running.delete(userId);
    });
  };
  app.decorateRequest('tokenEnd');
  app.addHook('onRequest', (request, { raw }, done) => {
    const { routeOptions, userId, tokenVersion: version, caller } = request;
    if (routeOptions.config.long) {
      const tokenEnd = new AbortController();
      request.tokenEnd = tokenEnd.signal;
      const isAnnounced = routeOptions.config.long === 'announced';
      const end = () => {
        tokenEnd.abort('token_ended');
        if (isAnnounced) destroyAfter(PARTING_MS, raw);
        else raw.destroy();
      };
      add(raw, userId, { version, end });
      if (caller.kind === 'participant') add(raw, caller.id, { version: caller.version, end });
    }
    done();
  });
  endedTokens.onEnded((userId, version) => {
    for (const one of running.get(userId)?.values() ?? []) if (one.version < version) one.end();
  });
}

function destroyAfter(ms: number, raw: ServerResponse): void {
  const timer = setTimeout(() => raw.destroy(), ms);
  raw.once('close', () => clearTimeout(timer));
}
