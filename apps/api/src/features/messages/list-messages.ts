import { Message, PageQuery, pageOf } from '@session/contract';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { messageParams, pageItems, pageJson, replyJson } from './message-schema.ts';

/**
 * `GET /sessions/:sessionId/messages`: the history, the newest message first. `cursor` is the oldest message that the client
 * has. A page has at most 4 MiB, and at least one message.
 */
export function listMessages(app: ZodApp, { authorize, messages }: Deps): void {
  const response = { 200: pageOf(Message) };
  const schema = {
    tags: ['messages'],
    operationId: 'listMessages',
    summary: 'List the messages of a session, the newest first',
    problems: ['invalid_cursor', 'not_found'] as const,
    params: messageParams,
    querystring: PageQuery,
    response,
  };
  app.get('/sessions/:sessionId/messages', { schema }, async (request, reply) => {
    const { userId, params: session, query } = request;
    const page = { ...session, userId, cursor: query.cursor, limit: query.limit + 1 };
    const found = await authorize(userId, 'read', await messages.pageMessages(page));
    if (!found.isCursorKnown)
      throw new AppError('invalid_cursor', 'no such message in the session');
    const rows = found.messages.slice(0, query.limit);
    const items = pageItems(session.sessionId, rows);
    const hasMore = found.isFull || items.length < found.messages.length;
    const nextCursor = hasMore ? (rows[items.length - 1]?.id ?? null) : null;
    return replyJson(reply, pageJson(items, { nextCursor }));
  });
}
