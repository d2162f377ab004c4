import { createAdminClient } from '@session/client/admin';
import { pause } from '@session/kit';
import { type ChaosSessions, readHistory } from './chaos-client.ts';

const POLL_MS = 250;
const CHECK_TIMEOUT_MS = 30_000;

/**
 * Follows each session by a stream of each API, which breaks whenever its API is restarted. Returns a function that waits up
 * to 30 s until the streams have what the histories have, and returns the differences that are left.
 */
export function followSessions(
  sessions: ChaosSessions,
  apiUrls: readonly string[],
  stop: AbortSignal,
): () => Promise<readonly string[]> {
  const streams = apiUrls.flatMap((apiUrl) =>
    sessions.ids.map((id) => new StreamedHistory(sessions, apiUrl, id, stop)),
  );
  return async () => (await Promise.all(streams.map((stream) => stream.check(stop)))).flat();
}

class StreamedHistory {
  readonly #sessions: ChaosSessions;
  readonly #sessionId: string;
  readonly #messages = new Map<string, string>();
  readonly #faults: string[] = [];

  constructor(sessions: ChaosSessions, apiUrl: string, sessionId: string, stop: AbortSignal) {
    this.#sessions = sessions;
    this.#sessionId = sessionId;
    this.#follow(apiUrl, stop).catch((error: unknown) => {
      if (!stop.aborted) this.#faults.push(`the stream of ${sessionId} ended: ${String(error)}`);
    });
  }

  async #follow(baseUrl: string, signal: AbortSignal): Promise<void> {
    const client = createAdminClient({ baseUrl, token: () => this.#sessions.token });
    let last = new Date(0).toISOString();
    const stream = client.messages.stream(this.#sessionId, { since: last, signal });
    for await (const { position, message } of stream) {
      if (!message || position <= last) this.#faults.push(`the stream came to ${position} again`);
      last = position;
      if (message) this.#messages.set(message.id, message.content);
    }
  }

  async check(stop: AbortSignal): Promise<readonly string[]> {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
    for (;;) {
      const history = await readHistory(this.#sessions.client, this.#sessionId, stop);
      const differ = history.filter(({ id, content }) => this.#messages.get(id) !== content);
      const more = this.#messages.size - history.length;
      if (differ.length === 0 && more === 0) return this.#faults;
      if (await pause(POLL_MS, signal)) continue;
      return [...this.#faults, `a stream lacks ${differ.length} messages, and has ${more} more`];
    }
  }
}
