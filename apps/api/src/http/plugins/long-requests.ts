import type { ServerResponse } from 'node:http';
import type { EndedTokens } from '../callers/ended-tokens.ts';
import type { ZodApp } from '../zod-app.ts';

/** Cuts requests of routes with `config.long` when their token ends; they were authenticated once, up to an hour before. */
export function endLongRequests(app: ZodApp, endedTokens: EndedTokens): void {
  const running = new Map<string, Map<ServerResponse, number>>();
  const add = (raw: ServerResponse, userId: string, version: number) => {
    // The token may have ended since it was checked, and nobody would tell again.
    endedTokens.assertCurrent(userId, version);
    const ofUser = running.get(userId) ?? new Map<ServerResponse, number>();
    running.set(userId, ofUser.set(raw, version));
    raw.once('close', () => {
      ofUser.delete(raw);
      if (ofUser.size === 0 && running.get(userId) === ofUser) running.delete(userId);
    });
  };
  app.addHook('onRequest', (request, reply, done) => {
    const { routeOptions, userId, tokenVersion, caller } = request;
    if (routeOptions.config.long) {
      add(reply.raw, userId, tokenVersion);
      if (caller.kind === 'participant') add(reply.raw, caller.id, caller.version);
    }
    done();
  });
  endedTokens.onEnded((userId, version) => {
    for (const [raw, ofToken] of running.get(userId) ?? []) {
      if (ofToken < version) raw.destroy();
    }
  });
}
