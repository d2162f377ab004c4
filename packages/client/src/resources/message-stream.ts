import { type CallOptions, path, reading } from '../http/call.ts';
import { followEvents } from '../http/follow-events.ts';
import type { ServerEvent } from '../http/server-events.ts';
import type { Transport } from '../http/transport.ts';
import type { Message } from '../shapes.ts';

export interface StreamOptions extends CallOptions {
  /** The position to begin behind, or a time. Without it the stream begins with what comes next. */
  readonly since?: string | undefined;
}

export interface StreamedMessage {
  /** The `since` of a stream that goes on behind this message: keep it together with what you made of the message. */
  readonly position: string;
  /**
   * Null after the service was restored to an earlier time, where messages that you have may not exist. Discard your copy of the session
   * and read it again: the stream goes on with what is stored since.
   */
  readonly message: Message | null;
}

/**
 * Yields each message when it is stored, grows or is completed, until the session is deleted or the reader may no
 * longer read it. A broken connection is replaced, and nothing is missed. Throws what the API refuses, and what the
 * first connection fails with.
 */
export async function* streamMessages(
  transport: Transport,
  sessionId: string,
  { signal, since }: StreamOptions = {},
): AsyncGenerator<StreamedMessage, void> {
  const call = {
    ...reading(path`/sessions/${sessionId}/messages/stream`, { signal }),
    query: { since },
  };
  for await (const { name, data, id = '' } of followEvents(transport, call, isLast)) {
    // The first event only has an id, and a newer API may send others.
    if (name === 'message' && data !== '') yield { position: id, message: JSON.parse(data) };
    if (name === 'reset') yield { position: id, message: null };
  }
}

function isLast({ name, data }: ServerEvent): boolean {
  if (name !== 'end') return false;
  const { reason }: { reason: string } = JSON.parse(data);
  return reason === 'not_found';
}
