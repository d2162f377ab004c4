import { pause } from '@session/kit';
import type { InjectOptions } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { TEST_PASSWORD, type TestApi, type TestUser } from './api.ts';
import type { RollingApis } from './rolling-apis.ts';

/** Between two requests of a client, so that the test leaves something of the machine to others. */
const PAUSE_MS = 20;

/** The objects that the clients of this load use. They must exist as long as the clients run. */
export interface LoadedObjects {
  readonly user: TestUser;
  readonly projectId: string;
  readonly sessionId: string;
  readonly templateId: string;
}

export interface KeyLoad {
  readonly faults: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  end(): Promise<void>;
}

type Request = InjectOptions & { readonly url: string };

/** Starts the clients. `mediaUrl` is the address of LiveKit, which must accept each room token. */
export function startKeyLoad(apis: RollingApis, objects: LoadedObjects, mediaUrl: string): KeyLoad {
  const { user, projectId, sessionId, templateId } = objects;
  const faults: string[] = [];
  /** The tokens that were ever issued: each of them must be valid to the end. */
  const tokens = [user.token];
  const ask = async (request: Request, expected: number) => {
    const token = tokens[Math.floor(Math.random() * tokens.length)] ?? '';
    return await apis.ask((api) => answerOf(api, { ...user, token }, request, expected));
  };
  const post = async (url: string, payload: object, headers = {}, expected = 201) =>
    await ask({ method: 'POST', url, payload, headers }, expected);
  let value = 0;
  const clients: Record<string, () => Promise<void>> = {
    reader: async () => void (await ask({ url: '/auth/me' }, 200)),
    newcomer: async () => {
      const account = { email: user.email, password: TEST_PASSWORD };
      const { token } = await post('/auth/login', account, {}, 200);
      tokens.push(token);
      const request = { url: '/auth/me' };
      await apis.askEach(async (api) => {
        await answerOf(api, { ...user, token }, request, 200);
      });
    },
    repeater: async () => {
      const key = { 'idempotency-key': uuidv7() };
      const url = `/projects/${projectId}/sessions`;
      const [first, second] = [
        await post(url, { name: 'once' }, key),
        await post(url, { name: 'once' }, key),
      ];
      if (first.id !== second.id) throw new Error('a repeated request created a second session');
    },
    owner: async () => {
      value += 1;
      const payload = { variables: { LLM_API_KEY: `key ${value}` } };
      await ask({ method: 'PATCH', url: `/env-templates/${templateId}`, payload }, 200);
    },
    participant: async () => {
      const room = await post(`/sessions/${sessionId}/token`, {});
      const url = `${mediaUrl.replace('ws:', 'http:')}/rtc/validate?access_token=${room.participantToken}`;
      const answer = await fetch(url);
      if (!answer.ok) throw new Error(`LiveKit refuses a room token: ${answer.status}`);
    },
  };
  const counts: Record<string, number> = {};
  const ending = new AbortController();
  const runs = Object.entries(clients).map(async ([name, work]) => {
    counts[name] = 0;
    while (await pause(PAUSE_MS, ending.signal)) {
      await work().catch((error: unknown) => faults.push(`${name}: ${String(error)}`));
      counts[name] += 1;
    }
  });
  return {
    faults,
    counts,
    async end() {
      ending.abort();
      await Promise.all(runs);
    },
  };
}

async function answerOf(api: TestApi, user: TestUser, request: Request, expected: number) {
  const answer = await api.inject(user, request);
  if (answer.statusCode === expected) return answer.json();
  throw new Error(`${request.method ?? 'GET'} ${request.url}: ${answer.body}`);
}
