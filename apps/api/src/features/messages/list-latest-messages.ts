import { LatestMessages, Since, WholeNumber } from '@session/contract';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { messageOf, messageParams } from './message-schema.ts';
import { WaitingReaders } from './waiting-readers.ts';

const querystring = z.strictObject({
  since: Since,
  limit: WholeNumber(1, 500).default(100),
  /** Seconds. */
  wait: WholeNumber(0, 25).default(0),
});

/**
 * `GET /sessions/:sessionId/messages/latest`: what was made or completed after `since`, in that order. A message that was
 * pending comes a second time when it is complete. With `wait` an empty answer is held open for so many seconds, until
 * something arrives.
 */
export function listLatestMessages(app: ZodApp, { authorize, messages }: Deps): void {
  const response = { 200: LatestMessages, ...failures('not_found') };
  const readers = new WaitingReaders({ messages });
  app.addHook('preClose', () => readers[Symbol.asyncDispose]());
  const schema = { params: messageParams, querystring, response };
  app.get('/sessions/:sessionId/messages/latest', { schema }, async (request) => {
    const { userId, params: session, query } = request;
    const after = { ...session, userId, ...query };
    let latest = await authorize(userId, 'read', await messages.latestMessages(after));
    if (latest.messages.length === 0 && query.wait > 0) {
      const news = await readers.wait(after, latest, query.wait * 1000, request.signal);
      latest = await authorize(userId, 'read', news);
    }
    return {
      items: latest.messages.map((row) => messageOf(session.sessionId, row)),
      nextSince: latest.nextSince,
      hasMore: latest.hasMore,
    };
  });
}
