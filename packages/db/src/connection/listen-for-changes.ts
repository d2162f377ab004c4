import { pause, repeat } from '@session/kit';
import postgres from 'postgres';
import { reconnectDelay } from './client.ts';

/**
 * The channels of NOTIFY, and their payloads.
 * - `session_changed`, `agent_changed`: the id of what changed; empty to wake all recorders.
 * - `messages_stored`: ids of sessions, separated by commas; empty for all sessions (`StoredNotifier`).
 * - `caller_changed`: a revoked API key, `<user id> <version>` of ended tokens, or an account that was removed from a
 *   project.
 */
export type Channel = 'session_changed' | 'agent_changed' | 'messages_stored' | 'caller_changed';

/**
 * Neither function may throw. `onListening` is called at the start and after each interruption. Notifications are lost
 * during an interruption, so the listener should then check everything.
 */
export interface Listening {
  onChange(channel: Channel, id: string): void;
  onListening(channel: Channel): void;
}

export interface ListenTiming {
  /** How often to check that the connection works. A connection that died silently would never receive anything again. */
  readonly checkEveryMs: number;
  readonly answerTimeoutMs: number;
}

const RETRY_MS = 50;
const TIMING: ListenTiming = { checkEveryMs: 15_000, answerTimeoutMs: 5000 };

/**
 * Listens to `channels` until disposed of. `url` must lead to PostgreSQL itself, not to a transaction pooler. Never throws
 * while the database is away: polling covers that time.
 */
export function listenForChanges(
  url: string,
  channels: readonly Channel[],
  listening: Listening,
  { checkEveryMs, answerTimeoutMs } = TIMING,
): AsyncDisposable {
  const stop = new AbortController();
  let interruption = new AbortController();
  // Not `client.listen`: its connection takes no other statement, so it could not be checked.
  const options = {
    // An option of our patch: docs/decisions/0001-patch-of-postgres-js.md.
    answer_timeout: answerTimeoutMs / 1000,
    max: 1,
    max_lifetime: null,
    connect_timeout: 5,
    backoff: reconnectDelay,
    fetch_types: false,
    connection: { application_name: 'listen' },
    onnotice: () => {},
    onnotify(name: string, id: string) {
      for (const channel of channels) if (channel === name) listening.onChange(channel, id);
    },
    onclose: () => interruption.abort(),
  };
  const client = postgres(url, options);
  const run = repeat(RETRY_MS, stop.signal, async () => {
    interruption = new AbortController();
    const end = AbortSignal.any([stop.signal, interruption.signal]);
    try {
      await client.unsafe(channels.map((channel) => `listen ${channel}`).join(';'));
      for (const channel of channels) listening.onListening(channel);
      while (await pause(checkEveryMs, end)) await client`select 1`;
    } catch {
      // The next round retries.
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await client.end({ timeout: 0 });
      await run;
    },
  };
}
