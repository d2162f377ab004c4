import { randomUUID } from 'node:crypto';
import { type Client, createClient, type Message } from '@session/client';

const ANSWER_TIMEOUT_MS = 10_000;
/** The waits between attempts double from a twentieth of a second to eight tenths: outages are short here. */
const SHORT_WAITS = 0.1;

/** Signs up, creates `count` sessions and returns their ids, and a client that repeats requests for as long as it takes. */
export async function openSessions(
  baseUrl: string,
  count: number,
  signal: AbortSignal,
): Promise<{ readonly client: Client; readonly ids: readonly string[] }> {
  let token: string | undefined;
  const client = createClient({
    baseUrl,
    token: () => token,
    timeoutMs: ANSWER_TIMEOUT_MS,
    maxRetries: Number.POSITIVE_INFINITY,
    random: () => SHORT_WAITS,
  });
  const email = `chaos-${randomUUID()}@example.com`;
  ({ token } = await client.auth.signUp({ email, password: randomUUID(), name: 'C' }, { signal }));
  const project = await client.projects.create({ name: 'Chaos' }, { signal });
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const session = await client.sessions.create(project.id, { name: `${index}` }, { signal });
    ids.push(session.id);
  }
  return { client, ids };
}

/** Returns the whole history, oldest first. */
export async function readHistory(
  client: Client,
  sessionId: string,
  signal: AbortSignal,
): Promise<Message[]> {
  const messages = client.messages.list(sessionId, { limit: 100, signal });
  return (await messages.toArray({ limit: Number.POSITIVE_INFINITY })).toReversed();
}
