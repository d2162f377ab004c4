import { pause, repeat } from '@session/kit';
import postgres from 'postgres';
import { reconnectDelay } from './client.ts';

/**
 * What the database tells its listeners: the id of a session made or closed, of an agent wanted or unwanted; no id when
 * many sessions need another recorder.
 */
export type Channel = 'session_changed' | 'agent_changed';

export interface Listening {
  /** Must not throw. `id` is that of the session or the agent, or empty. */
  onChange(channel: Channel, id: string): void;
  /**
   * Called when listening has begun, and has begun again after an interruption. What was told meanwhile is lost, so it is
   * the time to look at everything. Must not throw.
   */
  onListening(channel: Channel): void;
}

export interface ListenTiming {
  /** How often the connection is asked whether it still hears: one that has died without a word would stay deaf. */
  readonly aliveEveryMs: number;
  /** How long that may take. */
  readonly answerMs: number;
}

const RETRY_MS = 50;
const TIMING: ListenTiming = { aliveEveryMs: 15_000, answerMs: 5000 };

/**
 * Listens to `channels` of the database at `url` (directly, not through a transaction pooler), and goes on after every
 * interruption, until disposed of. Never throws for a database that is away: polling covers for that time.
 */
export function listenForChanges(
  url: string,
  channels: readonly Channel[],
  listening: Listening,
  { aliveEveryMs, answerMs } = TIMING,
): AsyncDisposable {
  const stop = new AbortController();
  let interruption = new AbortController();
  // Not `client.listen`: its connection takes no other statement, so that nobody could ask whether it still hears.
  const options = {
    // Not of postgres.js itself: see patches/.
    answer_timeout: answerMs / 1000,
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
      while (await pause(aliveEveryMs, end)) await client`select 1`;
    } catch {
      // It tries again.
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
