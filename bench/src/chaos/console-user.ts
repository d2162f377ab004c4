import { createClient } from '@session/client';
import { nodeRoom } from '@session/client/node';
import { pause } from '@session/kit';

/** As often as the console reads an open session. */
const READ_EVERY_MS = 4000;
const SAY_EVERY_MS = 1000;

interface ConsoleUse {
  readonly apiUrl: string;
  readonly token: string;
  readonly sessionId: string;
  /** The agent whose log is followed. */
  readonly agentId: string;
  readonly fetch: typeof fetch;
}

/**
 * Does what the console does with an open session and the page of an agent, by the console's own SDK, until `stop` aborts: joins the
 * room, talks, waits for messages, reads session and agents again and again, and follows the log. No request is repeated.
 */
export async function useConsole(use: ConsoleUse, stop: AbortSignal): Promise<void> {
  const { apiUrl: baseUrl, token, sessionId, agentId, fetch } = use;
  const client = createClient({ baseUrl, token, fetch, maxRetries: 0 });
  await using conversation = client.conversation(sessionId, { room: nodeRoom() });
  await conversation.open();
  const follow = async () => {
    const log = client.agents.logs(agentId, { follow: true, signal: stop });
    for await (const event of log) void event;
  };
  const read = async () => {
    do {
      // What fails is counted by `fetch`.
      await client.sessions.get(sessionId, { signal: stop }).catch(() => undefined);
      await client.agents.list(sessionId, { signal: stop }).catch(() => undefined);
    } while (await pause(READ_EVERY_MS, stop));
  };
  const talk = async () => {
    for (let count = 1; await pause(SAY_EVERY_MS, stop); count += 1) {
      await conversation.say(`message ${count}`);
    }
  };
  await Promise.all([follow().catch(() => undefined), read(), talk()]);
  const { items } = conversation.timeline.getSnapshot();
  const isStored = items.some(({ role, state }) => role === 'user' && state === 'complete');
  if (!isStored) throw new Error('no message of the console is stored');
}
