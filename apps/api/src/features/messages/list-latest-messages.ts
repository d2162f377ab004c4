import { LatestMessages, Since, WholeNumberOr } from '@session/contract';
import { listenForChanges } from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { messageParams, pageJson, replyJson } from './message-schema.ts';
import { WaitingReaders } from './waiting-readers.ts';

const querystring = z.strictObject({
  since: Since.meta({
    description: 'The `nextSince` of the previous answer, or a time',
    examples: ['2026-11-21T08:00:00.000Z'],
  }),
  limit: WholeNumberOr(100, 1, 500).describe('The maximum number of messages'),
  wait: WholeNumberOr(0, 0, 25).describe(
    'How many seconds to wait for a message before an empty answer',
  ),
});

/**
 * `GET /sessions/:sessionId/messages/latest`: the messages that were created, grew or were completed after `since`, in that
 * order. A pending message comes again each time it has grown, and when it is complete. With `wait`, an empty answer is delayed until a message arrives, for
 * at most that many seconds.
 */
export function listLatestMessages(
  app: ZodApp,
  { authorize, config, messages, metrics }: Deps,
): void {
  const response = { 200: LatestMessages };
  const readers = new WaitingReaders({ messages });
  metrics.gauge('session_waiting_readers', 'Readers that wait for a message.', () => {
    return readers.length;
  });
  const listening = new AsyncDisposableStack();
  listening.use(readers);
  app.addHook('onReady', async () => {
    const listener = {
      onChange: (_: unknown, sessionIds: string) => readers.stored(sessionIds),
      onListening: () => readers.lookAtAll(),
    };
    listening.use(listenForChanges(config.databaseUrl, ['messages_stored'], listener));
  });
  app.addHook('preClose', () => listening.disposeAsync());
  const schema = {
    tags: ['messages'],
    operationId: 'listLatestMessages',
    summary: 'List new messages, or wait for them',
    problems: ['not_found'] as const,
    params: messageParams,
    querystring,
    response,
  };
  const route = { schema, handlerTimeout: LONG_REQUEST_MS };
  app.get('/sessions/:sessionId/messages/latest', route, async (request, reply) => {
    const { userId, params: session, query } = request;
    const after = { ...session, userId, ...query };
    let latest = await authorize(userId, 'read', await messages.latestMessages(after));
    if (latest.messages.length === 0 && query.wait > 0) {
      const news = await readers.wait(after, latest, query.wait * 1000, request.signal);
      latest = await authorize(userId, 'read', news);
    }
    const { nextSince, hasMore } = latest;
    const rest = { nextSince, hasMore };
    return replyJson(reply, pageJson(session.sessionId, latest.messages, rest));
  });
}
