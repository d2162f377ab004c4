import { FoundMessages, Id, MessageSearchQuery } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { TimeCursor, timeCursor } from '../../http/time-cursor.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { messageJson, pageJson, replyJson } from './message-schema.ts';
import { ReadsInTurn } from './reads-in-turn.ts';
import { snippetOf } from './snippet.ts';

/** Short enough to answer within the limit of a request. */
const SEARCH_MS = 1200;
/** A pool has ten connections, which slow searches must not all hold. */
const SEARCHES_AT_ONCE = 3;

const params = z.object({ projectId: Id });
const querystring = MessageSearchQuery.extend({ cursor: TimeCursor.optional() });

export function searchMessages(app: ZodApp, { authorize, database, timeLimits }: Deps): void {
  const reads = new ReadsInTurn(timeLimits.statementMs, SEARCHES_AT_ONCE);
  const unlimited = db.withoutLimit(database);
  const schema = {
    tags: ['messages'],
    operationId: 'searchMessages',
    summary: 'Search what was said in a project, the newest message first',
    description:
      'Finds messages in which people or agents said all the words of `q`, in a text or in speech, among their first 65,536 characters. A message is usually found within two seconds: see `lag`. A page has at most 4 MiB, so it may have fewer messages than `limit` while `nextCursor` leads on. For members of the project.',
    problems: ['not_found', 'search_too_broad'] as const,
    params,
    querystring,
    response: { 200: FoundMessages },
  };
  app.get('/projects/:projectId/messages/search', { schema }, async (request, reply) => {
    const { userId, params: project, signal } = request;
    const { cursor, limit, ...query } = request.query;
    const before = cursor && { timestamp: cursor.at, id: cursor.id };
    const search = { ...query, ...project, userId, before, limit: limit + 1 };
    const until = performance.now() + timeLimits.requestMs;
    // Checked before the turn: otherwise each project id that an outsider invents would get turns.
    await authorize(userId, 'read', await db.findMembership(database, { ...project, userId }));
    // At most as long as the client waits, however late the turn comes.
    const leftMs = () => Math.max(1, Math.min(SEARCH_MS, Math.round(until - performance.now())));
    const read = () => find(unlimited, search, leftMs());
    const waitMs = until - performance.now();
    // By project, because a project may have many members and keys.
    const hits = await reads.run(project.projectId, read, { waitMs, signal });
    const found = await authorize(userId, 'read', hits);
    if (!found.hasWords) {
      throw new AppError('invalid_request', 'the search has no words', {
        detail:
          'Send at least one word to search for as `q`. Common words of the project’s language, such as `the`, are ignored.',
      });
    }
    const { waiting, overdueSeconds } = await db.countFollowers(database, 'search');
    const sessions = Math.max(waiting, found.isReindexing ? 1 : 0);
    const lag = { sessions, seconds: Math.round(overdueSeconds) };
    const items = itemsOf(found.messages.slice(0, limit));
    const hasMore = found.isFull || items.length < found.messages.length;
    const last = found.messages[items.length - 1]?.message;
    const nextCursor = hasMore && last ? timeCursor(last.timestamp, last.id) : null;
    return replyJson(reply, pageJson(items, { nextCursor, lag }));
  });
}

async function find(database: db.DatabaseAccess, search: db.MessageSearch, timeoutMs: number) {
  try {
    return await db.searchMessages(database, search, timeoutMs);
  } catch (error) {
    if (!db.isTimeout(error)) throw error;
    throw new AppError('search_too_broad', 'the search took too long', { cause: error });
  }
}

/**
 * Returns the first hits, up to `PAGE_BYTES` in all. Returns the first one whatever its size, because an empty page has
 * no cursor.
 */
function itemsOf(found: readonly db.MessageHit[]): string[] {
  const items: string[] = [];
  let bytes = 0;
  for (const { sessionId, sessionName, message, marked } of found) {
    const item = JSON.stringify({ sessionId, sessionName, ...snippetOf(message.content, marked) });
    const text = `${item.slice(0, -1)},"message":${messageJson(sessionId, message)}}`;
    bytes += Buffer.byteLength(text);
    if (items.length > 0 && bytes > db.PAGE_BYTES) return items;
    items.push(text);
  }
  return items;
}
