import { createAdminClient } from '@session/client/admin';
import { nodeRoom } from '@session/client/node';
import { pause } from '@session/kit';

/** The console reads an open session this often. */
const READ_EVERY_MS = 4000;
const SAY_EVERY_MS = 1000;
const STORED_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

interface ConsoleUse {
  readonly apiUrl: string;
  readonly token: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly fetch: typeof fetch;
}

/**
 * Does what the console does, with the same SDK, until `stop` aborts. Then waits until a message is stored. No request is
 * repeated.
 */
export async function useConsole(use: ConsoleUse, stop: AbortSignal): Promise<void> {
  const { apiUrl: baseUrl, token, sessionId, agentId, fetch } = use;
  const client = createAdminClient({ baseUrl, token, fetch, maxRetries: 0 });
  await using conversation = client.conversation(sessionId, { room: nodeRoom() });
  await conversation.open();
  const follow = async () => {
    const log = client.agents.logs(agentId, { follow: true, signal: stop });
    for await (const event of log) void event;
  };
  // What fails is counted by `fetch`.
  const read = async () => {
    do {
      await client.sessions.get(sessionId, { signal: stop }).catch(() => undefined);
      await client.agents.list(sessionId, { signal: stop }).catch(() => undefined);
    } while (await pause(READ_EVERY_MS, stop));
  };
  const talk = async () => {
    let count = 0;
    do {
      count += 1;
      await conversation.say(`message ${count}`).catch(() => undefined);
    } while (await pause(SAY_EVERY_MS, stop));
  };
  await Promise.all([follow().catch(() => undefined), read(), talk()]);
  const isStored = () =>
    conversation.timeline
      .getSnapshot()
      .items.some(({ role, state }) => role === 'user' && state === 'complete');
  const end = AbortSignal.timeout(STORED_TIMEOUT_MS);
  while (!isStored()) {
    if (!(await pause(POLL_MS, end))) throw new Error('no message of the console is stored');
  }
}
