import postgres from 'postgres';
import { reconnectDelay } from './client.ts';

/** What the database tells its listeners: the id of a session made or closed, of an agent wanted or unwanted. */
export type Channel = 'session_changed' | 'agent_changed';

export interface Listening {
  /** Must not throw. `id` is that of the session or the agent. */
  onChange(channel: Channel, id: string): void;
  /**
   * Called when listening has begun, and has begun again after an interruption. What was told meanwhile is lost, so it is
   * the time to look at everything. Must not throw.
   */
  onListening(channel: Channel): void;
}

/**
 * Listens to `channels` of the database at `url` (directly, not through a transaction pooler), and goes on after every
 * interruption, until disposed of. Never throws for a database that is away: polling covers for that time.
 */
export function listen(
  url: string,
  channels: readonly Channel[],
  listening: Listening,
): AsyncDisposable {
  // A client a channel: while the database is away, those of one client would pile up LISTENs of each other.
  const clients = channels.map((channel) => {
    const client = postgres(url, {
      max: 1,
      connect_timeout: 5,
      backoff: reconnectDelay,
      connection: { application_name: `listen-${channel}` },
      onnotice: () => {},
    });
    client
      .listen(
        channel,
        (id) => listening.onChange(channel, id),
        () => listening.onListening(channel),
      )
      // It tries again by itself.
      .catch(() => {});
    return client;
  });
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end({ timeout: 0 })));
    },
  };
}
