import { isRefusal } from './api-error.ts';
import type { Call } from './call.ts';
import { pause } from './pause.ts';
import { type ServerEvent, serverEvents } from './server-events.ts';
import type { Transport } from './transport.ts';

const RETRY_MS = 1000;
const MAX_RETRY_MS = 8000;
/** The server sends a comment every 10 to 15 s, so a connection that is silent for this long is dead. */
const SILENCE_MS = 45_000;

/**
 * Yields the events of a stream until `isEnd`, including those without data. Replaces a broken connection, however long that
 * takes, and continues after the last id. Throws the API's refusal, and the error of the first connection.
 */
export async function* followEvents(
  transport: Transport,
  call: Call,
  isEnd: (event: ServerEvent) => boolean,
): AsyncGenerator<ServerEvent, void> {
  let lastEventId: string | undefined;
  let retryMs = RETRY_MS;
  let failures = 0;
  let hasOpened = false;
  for (;;) {
    try {
      const header = ['last-event-id', lastEventId] as const;
      const stream = { ...call, header, accept: 'text/event-stream' };
      for await (const event of oneByOne(serverEvents(transport.text(stream, SILENCE_MS)))) {
        hasOpened = true;
        failures = 0;
        retryMs = event.retryMs ?? retryMs;
        lastEventId = event.id ?? lastEventId;
        if (isEnd(event)) return;
        yield event;
      }
    } catch (error) {
      if (!hasOpened || isRefusal(error)) throw error;
    }
    // Half of the wait is random, so that clients do not all reconnect at once when a server returns.
    const waitMs = Math.min(MAX_RETRY_MS, retryMs * 2 ** failures);
    failures += 1;
    await pause(waitMs * (0.5 + transport.options.random() / 2), call.signal);
  }
}

async function* oneByOne<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const batch of batches) yield* batch;
}
