import { Message, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { messageParams, pageItems, pageJson, replyJson } from './message-schema.ts';

const querystring = PageQuery.extend({
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .describe('`desc`: the newest message first; `asc`: the oldest first'),
});

export function listMessages(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: pageOf(Message) };
  const schema = {
    tags: ['messages'],
    operationId: 'listMessages',
    summary: 'List the messages of a session, the newest first',
    description:
      'Returns a page of the history. `cursor` continues behind the last message of the page before, so messages that are stored meanwhile move none. `order=asc` begins with the oldest message. A page has at most 4 MiB.',
    problems: ['invalid_cursor', 'not_found'] as const,
    params: messageParams,
    querystring,
    response,
  };
  app.get(
    '/sessions/:sessionId/messages',
    { schema, config: { participant: 'sessionId' } },
    async (request, reply) => {
      const { userId, params: session } = request;
      const { cursor, limit, order } = request.query;
      const page = { ...session, userId, cursor, order, limit: limit + 1 };
      const found = await authorize(userId, 'read', await db.pageMessages(database, page));
      if (!found.isCursorKnown)
        throw new AppError('invalid_cursor', 'no such message in the session');
      const rows = found.messages.slice(0, limit);
      const items = pageItems(session.sessionId, rows);
      const hasMore = found.isFull || items.length < found.messages.length;
      const nextCursor = hasMore ? (rows[items.length - 1]?.id ?? null) : null;
      return replyJson(reply, pageJson(items, { nextCursor }));
    },
  );
}
