import { Readable } from 'node:stream';
import type { LatestMessageRows } from '@session/db';
import { partsOf } from '../../http/parts.ts';
import { isUnavailable } from '../../http/problems/problems.ts';
import { messageJson } from './message-schema.ts';
import type { WaitingReaders } from './waiting-readers.ts';

const RETRY_MS = 1000;
/** After this time without a message the stream sends a comment, and checks again whether the reader is a member. */
const QUIET_MS = 10_000;

/** Why a stream ended. After `reconnect` the client may reconnect at once, with the id of the last event. */
type End = 'not_found' | 'reconnect' | 'token_expired';

type EventsOf = (sessionId: string, rows: LatestMessageRows['messages']) => Buffer;

export interface MessageStream {
  readonly sessionId: string;
  readonly userId: string;
  readonly limit: number;
  /** As in `latestMessages`. */
  readonly from: string | null;
  /** The start position. Without messages, because it stays in memory while the stream is open. */
  readonly first: LatestMessageRows;
  /** Returns the messages after `since`; undefined when the session was deleted, or the reader is not a member any more. */
  readonly read: (since: string) => Promise<LatestMessageRows | undefined>;
  readonly eventsOf: EventsOf;
  /** Aborts when the client has left, and with an `End` as reason when the stream has to end. */
  readonly signal: AbortSignal;
}

/**
 * Returns the messages of a session as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), as
 * they are stored, grow or are completed. The id of an event is its message's position in the history: the `since` behind it. The
 * first event is only an id. Nothing is read for a client that has not taken what was read before.
 */
export function followMessages(readers: WaitingReaders, stream: MessageStream): Readable {
  return Readable.from(withEnd(readers, stream), { highWaterMark: 1 });
}

async function* withEnd(
  readers: WaitingReaders,
  stream: MessageStream,
): AsyncGenerator<string | Buffer> {
  yield `retry: ${RETRY_MS}\nid: ${stream.first.nextSince}\n\n`;
  const reason = yield* messages(readers, stream);
  yield `event: end\ndata: ${JSON.stringify({ reason })}\n\n`;
}

async function* messages(
  readers: WaitingReaders,
  { sessionId, userId, limit, from, first, read, eventsOf, signal }: MessageStream,
): AsyncGenerator<string | Buffer, End> {
  let latest: LatestMessageRows | undefined = first;
  try {
    while (!signal.aborted) {
      if (!latest) return 'not_found';
      if (latest.messages.length > 0) yield* partsOf(eventsOf(sessionId, latest.messages));
      const { nextSince: since, hasMore } = latest;
      if (hasMore) {
        latest = await read(since);
        continue;
      }
      // Releases the page that was sent, before the wait.
      const empty = { ...latest, messages: [] };
      latest = empty;
      const query = { sessionId, userId, since, limit, from };
      latest = await readers.wait(query, empty, QUIET_MS, signal);
      if (latest !== empty || signal.aborted) continue;
      // A comment keeps the connection open, and shows us when it is broken.
      yield ':\n\n';
      latest = await read(since);
    }
  } catch (error) {
    // A cut connection would look like a failure of the network, to clients and to proxies.
    if (!isUnavailable(error)) throw error;
  }
  return isEnd(signal.reason) ? signal.reason : 'reconnect';
}

function isEnd(reason: unknown): reason is End {
  return reason === 'token_expired' || reason === 'reconnect';
}

/** Returns a function that formats messages as events. Readers that were woken together get one array, and share its bytes. */
export function shareEvents(): EventsOf {
  const shared = new WeakMap<LatestMessageRows['messages'], Buffer>();
  return (sessionId, rows) => {
    const bytes =
      shared.get(rows) ??
      Buffer.from(
        rows.map((row) => `id: ${row.seenAt}\ndata: ${messageJson(sessionId, row)}\n\n`).join(''),
      );
    shared.set(rows, bytes);
    return bytes;
  };
}
