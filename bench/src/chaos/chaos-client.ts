import { randomUUID } from 'node:crypto';
import { type Client, createClient, type Message } from '@session/client';
import { watchingFetch } from './answers.ts';

const ANSWER_TIMEOUT_MS = 10_000;
/** With this factor, the waits between attempts double from 0.05 s to 0.8 s, because outages are short here. */
const SHORT_WAITS = 0.1;

export interface ChaosSessions {
  readonly client: Client;
  readonly token: string;
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly failures: readonly string[];
}

/** Signs up, and creates `count` sessions. The requests go to the APIs of `apiUrls` in turn. */
export async function openSessions(
  apiUrls: readonly string[],
  count: number,
  signal: AbortSignal,
): Promise<ChaosSessions> {
  let token = '';
  const failures: string[] = [];
  const client = createClient({
    baseUrl: apiUrls[0] ?? '',
    token: () => token,
    timeoutMs: ANSWER_TIMEOUT_MS,
    fetch: byTurns(apiUrls, watchingFetch(failures)),
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
  return { client, token, projectId: project.id, ids, failures };
}

function byTurns(apiUrls: readonly string[], send: typeof fetch): typeof fetch {
  let count = 0;
  return async (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const url = new URL(pathname + search, apiUrls[count % apiUrls.length]);
    count += 1;
    return await send(input instanceof Request ? new Request(url, input) : url, init);
  };
}

export async function readHistory(
  client: Client,
  sessionId: string,
  signal: AbortSignal,
): Promise<Message[]> {
  const messages = client.messages.list(sessionId, { limit: 100, signal });
  return (await messages.toArray({ limit: Number.POSITIVE_INFINITY })).toReversed();
}
