import { type CallOptions, path, reading } from '../http/call.ts';
import { followEvents } from '../http/follow-events.ts';
import { type ServerEvent, serverEvents } from '../http/server-events.ts';
import type { Transport } from '../http/transport.ts';
import type { Message } from '../shapes.ts';

/** The server sends a comment at least every 10 s, so a connection that is silent for this long is dead. */
const SILENCE_MS = 25_000;

export interface StreamedMessage {
  /** The `since` for a stream that continues after this message. Store it together with the results of the message. */
  readonly position: string;
  /**
   * Null after the service was restored to an earlier time, so messages that you have may no longer exist. Discard your copy
   * of the session and read it again. The stream continues with what is stored from then on.
   */
  readonly message: Message | null;
}

export interface StreamOptions extends CallOptions {
  /** The position after which to begin, or a time. Without it, the stream begins with the next message. */
  readonly since?: string | undefined;
}

/**
 * Yields the messages that arrive together, as they are stored, grow or are completed. An empty list only shows that the
 * connection is alive. Ends or throws with the connection.
 */
export async function* arrivingMessages(
  transport: Transport,
  sessionId: string,
  { signal, since }: { readonly since: string; readonly signal: AbortSignal },
): AsyncGenerator<readonly StreamedMessage[], void> {
  const call = {
    ...reading(path`/sessions/${sessionId}/messages/stream`, { signal }),
    query: { since },
    accept: 'text/event-stream',
    retry: 'never',
  } as const;
  for await (const events of serverEvents(transport.text(call, SILENCE_MS)))
    yield messagesIn(events);
}

export async function* streamMessages(
  transport: Transport,
  sessionId: string,
  { signal, since }: StreamOptions = {},
): AsyncGenerator<StreamedMessage, void> {
  const call = {
    ...reading(path`/sessions/${sessionId}/messages/stream`, { signal }),
    query: { since },
  };
  for await (const event of followEvents(transport, call, isLast)) yield* messagesIn([event]);
}

/** Returns the messages among events. The first event of a stream has no data, and events of other kinds are ignored. */
function messagesIn(events: readonly ServerEvent[]): StreamedMessage[] {
  return events.flatMap(({ name, data, id = '' }) => {
    if (name === 'message' && data !== '') return [{ position: id, message: JSON.parse(data) }];
    return name === 'reset' ? [{ position: id, message: null }] : [];
  });
}

function isLast({ name, data }: ServerEvent): boolean {
  if (name !== 'end') return false;
  const { reason }: { reason: string } = JSON.parse(data);
  return reason === 'not_found';
}
