import type { Readable } from 'node:stream';
import { examplesOf, Message, Since } from '@session/contract';
import type { LatestMessageRows } from '@session/db';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { historyStartOf } from '../../http/callers/caller.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { followMessages, isEmpty, type StreamRows, shareEvents } from './follow-messages.ts';
import { END_OF_TIME, messageParams } from './message-schema.ts';
import type { WaitingReaders } from './waiting-readers.ts';

const LIMIT = 50;
const TIMEOUT_MS = 3_600_000;
const LIFE_MS = TIMEOUT_MS - 60_000;

const querystring = z.strictObject({
  since: Since.optional().meta({
    description:
      'The position to begin behind: a `nextSince`, or a time. Without it the stream begins with what comes next',
    examples: ['2026-11-21T08:00:00.000Z'],
  }),
  events: z.enum(['true', 'false']).optional().meta({
    description:
      'With `true` the stream also sends what happens to the session and its agents, as events with the name `session`',
  }),
});

const headers = z.object({
  'last-event-id': Since.optional().meta({
    description: 'The id of the last event that the client received. The stream goes on behind it',
  }),
});

const stream: z.ZodType<Readable | string, Readable | string> = z.string().meta({
  examples: [`id: 2026-11-21T08:00:04.250Z\ndata: ${JSON.stringify(examplesOf(Message)[0])}\n\n`],
});

export function streamMessages(
  app: ZodApp,
  { authorize, database: limited, now }: Deps,
  readers: WaitingReaders,
): void {
  // The limit applies to the turn of a read.
  const database = db.withoutLimit(limited);
  const draining = new AbortController();
  const eventsOf = shareEvents();
  app.addHook('preClose', async () => draining.abort('reconnect'));
  const schema = {
    tags: ['messages'],
    operationId: 'streamMessages',
    summary: 'Follow the messages of a session',
    description:
      'Sends each message as a server-sent event when it is stored, and again when it grows or is completed. The id of an event is a position in the history: with `Last-Event-ID`, or with `since`, the stream goes on behind it, and nothing is missed. After the service was restored to an earlier time, a reader that may have read lost messages gets the event `reset` once; so does a reader that comes back after messages it does not have were deleted because of their age: forget the messages of the session, and read them again. After a break, reconnect when `retry` milliseconds are over: each stream names another time, so that not all clients come at once. The event `end` says why the stream ends: `reconnect` (go on with the last id), `token_expired` or `token_ended`, by a sign-out or with its key or user (with a new token), or `not_found`.',
    problems: ['not_found'] as const,
    params: messageParams,
    querystring,
    headers,
    response: {
      200: {
        description: 'The messages as events: the data of each is a message',
        content: { 'text/event-stream': { schema: stream } },
      },
    },
  };
  const route = {
    schema,
    exposeHeadRoute: false,
    handlerTimeout: TIMEOUT_MS,
    config: { long: 'announced' as const, participant: 'sessionId' as const },
  };
  app.get('/sessions/:sessionId/messages/stream', route, async (request, reply) => {
    const { userId, params, query, headers: given, expiresAt, tokenEnd } = request;
    const { sessionId } = params;
    const reader = { sessionId, userId, limit: LIMIT, from: historyStartOf(request) };
    const { from } = reader;
    const end = new AbortController();
    const leftMs = expiresAt - now();
    const reason = leftMs < LIFE_MS ? 'token_expired' : 'reconnect';
    const timer = setTimeout(() => end.abort(reason), Math.min(leftMs, LIFE_MS));
    // If the client has left already, nothing clears the timer, which must not keep the process running.
    timer.unref();
    reply.raw.once('close', () => clearTimeout(timer));
    const signal = AbortSignal.any([request.signal, tokenEnd, end.signal, draining.signal]);
    const addEvents =
      query.events === 'true'
        ? (rows: LatestMessageRows, after: string) => {
            const behind = from !== null && from > after ? from : after;
            const add = () => withEvents(database, { sessionId, since: behind }, rows);
            return readers.inTurn(userId, add, signal);
          }
        : undefined;
    const read = async (after: string, stop = signal) => {
      const latest = () => db.latestMessages(database, { ...reader, since: after });
      const rows = await readers.inTurn(userId, latest, stop);
      return rows && addEvents ? await addEvents(rows, after) : rows;
    };
    const since = given['last-event-id'] ?? query.since ?? END_OF_TIME;
    // A stream that must end while this read waits begins nevertheless, and reports its end, because browsers reconnect
    // only after the status 200.
    const found: StreamRows = await authorize(userId, 'read', await read(since, request.signal));
    // The id of the first event must not be later than messages that are still to be sent: the client may get that event alone.
    const position = found.isReset || !isEmpty(found) ? since : found.nextSince;
    return reply
      .type('text/event-stream; charset=utf-8')
      .headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' })
      .send(
        followMessages(readers, { ...reader, position, read, addEvents, eventsOf, signal }, found),
      );
  });
}

/**
 * Adds the events after `since`: up to the last message if there are more messages, otherwise up to the head. These
 * events were committed before the messages were read.
 */
async function withEvents(
  database: Deps['database'],
  { sessionId, since }: { readonly sessionId: string; readonly since: string },
  rows: LatestMessageRows,
): Promise<StreamRows> {
  const until = rows.hasMore ? rows.nextSince : rows.lastAt;
  if (until <= since || rows.isReset) return rows;
  const events = await db.listSessionEvents(database, { sessionId, since, until });
  const last = events.at(-1);
  if (events.length < db.EVENTS_AT_ONCE || !last) return { ...rows, events, nextSince: until };
  const messages = rows.messages.filter(({ seenAt }) => seenAt <= last.seenAt);
  return { ...rows, messages, events, nextSince: last.seenAt, hasMore: true };
}
