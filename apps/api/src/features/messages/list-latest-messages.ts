import { LatestMessages, Since } from '@session/contract';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { messageOf, messageParams } from './message-schema.ts';

const querystring = z.strictObject({
  since: Since,
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

/**
 * `GET /sessions/:sessionId/messages/latest`: what was made or completed after `since`, in that order. A message that was
 * pending comes a second time when it is complete.
 */
export function listLatestMessages(app: ZodApp, { authorize, messages }: Deps): void {
  const response = { 200: LatestMessages, ...failures('not_found') };
  const schema = { params: messageParams, querystring, response };
  app.get('/sessions/:sessionId/messages/latest', { schema }, async (request) => {
    const { userId, params: session, query } = request;
    const after = { ...session, userId, ...query };
    const latest = await authorize(userId, 'read', await messages.latestMessages(after));
    return {
      items: latest.messages.map((row) => messageOf(session.sessionId, row)),
      nextSince: latest.nextSince,
      hasMore: latest.hasMore,
    };
  });
}
