import postgres from 'postgres';

export interface Notifications extends AsyncDisposable {
  /** Returns all notifications that were committed until now, as `channel payload`, and forgets them. */
  take(): Promise<string[]>;
}

/** Listens to all channels of the database at `url`. */
export async function openNotifications(url: string): Promise<Notifications> {
  let received: string[] = [];
  const options = {
    max: 1,
    max_lifetime: null,
    // The driver has this option, and its types do not.
    onnotify: (channel: string, payload: string) => void received.push(`${channel} ${payload}`),
  };
  const sql = postgres(url, options);
  const channels = ['session_changed', 'agent_changed', 'messages_stored', 'caller_changed'];
  await sql.unsafe(channels.map((channel) => `listen ${channel}`).join(';'));
  return {
    async take() {
      // PostgreSQL sends the notifications of earlier commits before it answers.
      await sql`select 1`;
      const taken = received;
      received = [];
      return taken;
    },
    [Symbol.asyncDispose]: () => sql.end(),
  };
}
