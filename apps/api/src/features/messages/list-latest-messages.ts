import { LatestMessages, Since, WholeNumberOr } from '@session/contract';
import type { LatestMessageRows } from '@session/db';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { historyStartOf } from '../../http/callers/caller.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { messageParams, pageItems, pageJson, replyJson } from './message-schema.ts';
import type { WaitingReaders } from './waiting-readers.ts';

const SHARED_BYTES = 16 * 1024;

const querystring = z.strictObject({
  since: Since.meta({
    description: 'The `nextSince` of the previous answer, or a time',
    examples: ['2026-11-21T08:00:00.000Z'],
  }),
  limit: WholeNumberOr(100, 1, 500).describe(
    'The maximum number of messages. An answer also ends at 4 MiB',
  ),
  wait: WholeNumberOr(0, 0, 25).describe(
    'How many seconds to wait for a message before an empty answer',
  ),
});

export function listLatestMessages(
  app: ZodApp,
  { authorize, database }: Deps,
  readers: WaitingReaders,
): void {
  const response = { 200: LatestMessages };
  // Readers that were woken together have the same array.
  const shared = new WeakMap<LatestMessageRows['messages'], string | Buffer>();
  const schema = {
    tags: ['messages'],
    operationId: 'listLatestMessages',
    summary: 'List new messages, or wait for them',
    description:
      'Returns what was stored or completed after `since`. Send `nextSince` as the next `since`: nothing is missed, and only a message that has changed comes again. With `wait` an empty answer is held open until something comes. After the service was restored to an earlier time, a reader that may have read lost messages gets `reset: true` once; so does a reader that comes back after messages it does not have were deleted because of their age: forget the messages of the session, and read them again.',
    problems: ['not_found'] as const,
    params: messageParams,
    querystring,
    response,
  };
  const route = {
    schema,
    handlerTimeout: LONG_REQUEST_MS,
    config: { long: 'cut' as const, participant: 'sessionId' as const },
  };
  app.get('/sessions/:sessionId/messages/latest', route, async (request, reply) => {
    const { userId, params: session, query } = request;
    const after = { ...session, userId, ...query, from: historyStartOf(request) };
    const until = performance.now() + query.wait * 1000;
    const read = () => db.latestMessages(db.withoutLimit(database), after);
    const found = await readers.inTurn(userId, read, request.signal);
    const latest = await authorize(userId, 'read', found);
    if (latest.messages.length > 0 || latest.isReset || query.wait === 0) {
      return replyJson(reply, latestJson(session.sessionId, latest));
    }
    const leftMs = until - performance.now();
    const woken = await readers.wait(after, latest, leftMs, request.signal);
    const news = await authorize(userId, 'read', woken);
    const json = shared.get(news.messages) ?? sharable(latestJson(session.sessionId, news));
    shared.set(news.messages, json);
    return replyJson(reply, json);
  });
}

function latestJson(sessionId: string, latest: LatestMessageRows): string {
  const items = pageItems(sessionId, latest.messages);
  const last = latest.messages[items.length - 1];
  const isCut = items.length < latest.messages.length;
  const nextSince = (isCut && last?.seenAt) || latest.nextSince;
  const reset = latest.isReset ? { reset: true } : {};
  return pageJson(items, { nextSince, hasMore: isCut || latest.hasMore, ...reset });
}

/** Returns a text of `SHARED_BYTES` or more as bytes, because every connection would copy a text. */
function sharable(json: string): string | Buffer {
  return json.length < SHARED_BYTES ? json : Buffer.from(json);
}
