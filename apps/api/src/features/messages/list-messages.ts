import { Message, PageQuery, pageOf } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { historyStartOf } from '../../http/callers/caller.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { messageParams, pageItems, pageJson, replyJson } from './message-schema.ts';

const querystring = PageQuery.extend({
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .describe('`desc`: the newest message first; `asc`: the oldest first'),
  kind: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Messages of this kind, as `metadata.kind` names it: `text`, `transcript`, …'),
  role: Message.shape.role.optional().describe('Messages of this role'),
});

export function listMessages(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: pageOf(Message) };
  const schema = {
    tags: ['messages'],
    operationId: 'listMessages',
    summary: 'List the messages of a session, the newest first',
    description:
      'Returns a page of the history. `cursor` continues behind the last message of the page before, so messages that are stored meanwhile move none. `order=asc` begins with the oldest message. A page has at most 4 MiB. With `kind` or `role` it may have fewer messages than `limit`, or none, while `nextCursor` leads on: the history ends where it is null.',
    problems: ['invalid_cursor', 'not_found'] as const,
    params: messageParams,
    querystring,
    response,
  };
  const route = { schema, config: { participant: 'sessionId' as const } };
  app.get('/sessions/:sessionId/messages', route, async (request, reply) => {
    const { userId, params: session } = request;
    const { limit, kind, role } = request.query;
    const from = historyStartOf(request);
    const page = { ...request.query, ...session, userId, from, limit: limit + 1 };
    const isFiltered = kind !== undefined || role !== undefined;
    const read = isFiltered ? db.filterMessages : db.pageMessages;
    const found = await authorize(userId, 'read', await read(database, page));
    if (!found.isCursorKnown)
      throw new AppError('invalid_cursor', 'no such message in the session');
    const rows = found.messages.slice(0, limit);
    const items = pageItems(session.sessionId, rows);
    const hasMore = found.isFull || items.length < found.messages.length;
    const nextCursor = hasMore ? (rows[items.length - 1]?.id ?? null) : found.end;
    return replyJson(reply, pageJson(items, { nextCursor }));
  });
}
