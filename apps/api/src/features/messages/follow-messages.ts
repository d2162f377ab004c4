import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import type { LatestMessageRows, SessionEventRow } from '@session/db';
import { partsOf } from '../../http/parts.ts';
import { isUnavailable } from '../../http/problems/problems.ts';
import { messageJson, sessionEventJson } from './message-schema.ts';
import type { WaitingReaders } from './waiting-readers.ts';

/** Clients reconnect after a random time in this range, because all streams of a server break at once. */
const RETRY_MS = { least: 500, most: 2500 };
/**
 * After this time without a message, a comment is sent. The comment keeps the connection open, or reveals that it is
 * broken.
 */
const QUIET_MS = 10_000;

/** Why a stream ended. After `reconnect` the client may reconnect at once, with the id of the last event. */
type End = 'not_found' | 'reconnect' | 'token_ended' | 'token_expired';

/** `events`: the session's events, if the reader asked for them. Their positions lie between those of messages. */
export interface StreamRows extends LatestMessageRows {
  readonly events?: readonly SessionEventRow[];
}

type EventsOf = (sessionId: string, rows: StreamRows) => Buffer;

export interface MessageStream {
  readonly sessionId: string;
  readonly userId: string;
  readonly limit: number;
  readonly from: string | null;
  readonly position: string;
  /** Returns the messages after `since`; undefined when the session was deleted, or the reader is no longer a member. */
  readonly read: (since: string) => Promise<StreamRows | undefined>;
  readonly addEvents?:
    | ((rows: LatestMessageRows, since: string) => Promise<StreamRows>)
    | undefined;
  readonly eventsOf: EventsOf;
  /** Aborts when the client has left, and with an `End` as its reason when the stream must end. */
  readonly signal: AbortSignal;
}

/**
 * Returns the messages of a session as server-sent events, one whenever a message is stored, grows or is completed. The
 * id of an event is the `since` with which a reader continues after it; the first event has no data. `first` was
 * read already. Nothing more is read until the client has taken what was read before.
 */
export function followMessages(
  readers: WaitingReaders,
  stream: MessageStream,
  first: StreamRows,
): Readable {
  const text = withEnd(stream.position, messages(readers, stream, first));
  return Readable.from(text, { highWaterMark: 1 });
}

async function* withEnd(
  position: string,
  following: AsyncGenerator<string | Buffer, End>,
): AsyncGenerator<string | Buffer> {
  const retryMs = randomInt(RETRY_MS.least, RETRY_MS.most);
  yield `retry: ${retryMs}\nid: ${position}\n\n`;
  const reason = yield* following;
  yield `event: end\ndata: ${JSON.stringify({ reason })}\n\n`;
}

async function* messages(
  readers: WaitingReaders,
  stream: MessageStream,
  // A parameter that is assigned again: a separate variable would keep the first page in memory as long as the stream.
  latest: StreamRows | undefined,
): AsyncGenerator<string | Buffer, End> {
  const { sessionId, read, eventsOf, signal } = stream;
  try {
    while (!signal.aborted) {
      if (!latest) return 'not_found';
      if (latest.isReset) yield `event: reset\nid: ${latest.nextSince}\ndata: {}\n\n`;
      if (!isEmpty(latest)) yield* partsOf(eventsOf(sessionId, latest));
      if (latest.hasMore) {
        latest = await read(latest.nextSince);
        continue;
      }
      // Releases the page before the wait.
      const empty: StreamRows = { ...latest, messages: [], events: [], isReset: false };
      latest = empty;
      latest = yield* afterQuiet(readers, stream, empty);
    }
  } catch (error) {
    // To clients and proxies, a cut connection would look like a network failure.
    if (!isUnavailable(error)) throw error;
  }
  return isEnd(signal.reason) ? signal.reason : 'reconnect';
}

async function* afterQuiet(
  readers: WaitingReaders,
  { sessionId, userId, limit, from, addEvents, signal }: MessageStream,
  empty: StreamRows,
): AsyncGenerator<string, StreamRows | undefined> {
  const { nextSince: since } = empty;
  const query = { sessionId, userId, since, limit, from, events: addEvents !== undefined };
  const woken = await readers.wait(query, empty, QUIET_MS, signal);
  const hasMoved = woken && woken.lastAt > empty.lastAt;
  const news = hasMoved && addEvents ? await addEvents(woken, since) : woken;
  if (news && isEmpty(news) && !news.isReset && !signal.aborted) yield ':\n\n';
  return news;
}

export function isEmpty({ messages: rows, events = [] }: StreamRows): boolean {
  return rows.length + events.length === 0;
}

function isEnd(reason: unknown): reason is End {
  return reason === 'token_ended' || reason === 'token_expired' || reason === 'reconnect';
}

/**
 * Returns a function that formats messages as events. Readers that are woken together get the same array, and share its
 * bytes.
 */
export function shareEvents(): EventsOf {
  const shared = new WeakMap<LatestMessageRows['messages'], Buffer>();
  return (sessionId, { messages: rows, events = [] }) => {
    if (events.length > 0) return Buffer.from(mixedText(sessionId, rows, events));
    const bytes =
      shared.get(rows) ?? Buffer.from(rows.map((row) => messageText(sessionId, row)).join(''));
    shared.set(rows, bytes);
    return bytes;
  };
}

function messageText(sessionId: string, row: LatestMessageRows['messages'][number]): string {
  return `id: ${row.seenAt}\ndata: ${messageJson(sessionId, row)}\n\n`;
}

function mixedText(
  sessionId: string,
  rows: LatestMessageRows['messages'],
  events: readonly SessionEventRow[],
): string {
  const texts = [
    ...rows.map((row) => [row.seenAt, messageText(sessionId, row)] as const),
    ...events.map((event) => [event.seenAt, eventText(sessionId, event)] as const),
  ];
  return texts
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, text]) => text)
    .join('');
}

function eventText(sessionId: string, event: SessionEventRow): string {
  return `event: session\nid: ${event.seenAt}\ndata: ${sessionEventJson(sessionId, event)}\n\n`;
}
