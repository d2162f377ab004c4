import { type CallOptions, path, reading } from '../http/call.ts';
import { followEvents } from '../http/follow-events.ts';
import type { ServerEvent } from '../http/server-events.ts';
import type { Transport } from '../http/transport.ts';
import { messagesIn, type StreamedMessage } from './arriving-messages.ts';

export interface StreamOptions extends CallOptions {
  /** The position to begin behind, or a time. Without it the stream begins with what comes next. */
  readonly since?: string | undefined;
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
  for await (const event of followEvents(transport, call, isLast)) yield* messagesIn([event]);
}

function isLast({ name, data }: ServerEvent): boolean {
  if (name !== 'end') return false;
  const { reason }: { reason: string } = JSON.parse(data);
  return reason === 'not_found';
}
