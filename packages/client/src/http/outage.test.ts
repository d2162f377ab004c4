import { DatabaseProxy } from '@session/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { failureOf } from '../../testing/failure-of.ts';
import { type RealApi, startRealApi } from '../../testing/real-api.ts';
import {
  json,
  lost,
  problem,
  type ScriptedAnswer,
  scriptedServer,
} from '../../testing/scripted-server.ts';
import {
  type Client,
  type ClientOptions,
  ConnectionError,
  createClient,
  isConnectionError,
} from '../index.ts';

let api: RealApi;
beforeAll(async () => {
  api = await startRealApi();
});
afterAll(() => api[Symbol.asyncDispose]());
afterEach(() => void vi.useRealTimers());

/** Returns a client behind a connection that can break, with the number of requests that it has sent. */
async function behindProxy(given: Pick<ClientOptions, 'random' | 'maxRetries'>) {
  const proxy = await DatabaseProxy.open(api.url);
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.push(`${init?.method} ${new Request(input, init).url}`);
    return globalThis.fetch(input, init);
  };
  return { proxy, sent, client: createClient({ baseUrl: proxy.url, fetch, ...given }) };
}

/** After this many requests, no request gets an answer, so that a storm of requests ends. */
const STORM = 1000;

/** Returns the `fetch` of a client whose API cannot be reached until `isBack`. It calls `answered` with each answer. */
function awayFetch(isBack: () => boolean, answered = () => {}) {
  let refused = 0;
  return async (): Promise<Response> => {
    if (isBack()) {
      answered();
      return Response.json({});
    }
    refused += 1;
    if (refused > STORM) return await new Promise(() => {});
    throw new TypeError('connection refused');
  };
}

/** Repeats a read until it is answered, as a page does that displays something. */
async function readUntilAnswered(client: Client): Promise<void> {
  for (;;) {
    try {
      await client.service.info();
      return;
    } catch (error) {
      if (!isConnectionError(error)) throw error;
    }
  }
}

test('ten readers of one client share one attempt at a time while the API is away', async () => {
  vi.useFakeTimers();
  const service = { isBack: false, sent: 0 };
  const away = awayFetch(() => service.isBack);
  const fetch = () => {
    service.sent += 1;
    return away();
  };
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', random: () => 0.02, fetch });
  const readers = Array.from({ length: 10 }, () => readUntilAnswered(client));
  const counts: number[] = [];
  for (const waitMs of [0, 10, 20, 40, 80, 160, 159]) {
    await vi.advanceTimersByTimeAsync(waitMs);
    counts.push(service.sent);
  }
  // The first attempt of each reader is made at once. Then they share one attempt at a time.
  expect(counts).toEqual([10, 11, 12, 13, 14, 15, 15]);
  service.isBack = true;
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all(readers);
  expect(service.sent).toBe(15 + 10);
});

test('a tab that reads 5 things every 2 s, joins its room again and follows its history sends at most 16 requests in 15 s without an API, and not 143', async () => {
  vi.useFakeTimers();
  let sent = 0;
  const away = awayFetch(() => false);
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    random: () => 0.5,
    fetch: () => {
      sent += 1;
      return away();
    },
  });
  const over = new AbortController();
  const every = async (ms: number, call: (signal: AbortSignal) => Promise<unknown>) => {
    while (!over.signal.aborted) {
      await call(over.signal).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  };
  const since = new Date().toISOString();
  const reads = Array.from({ length: 5 }, () =>
    every(2000, (signal) => client.auth.me({ signal })),
  );
  const joins = every(1000, (signal) => client.sessions.createToken('s', { signal }));
  const follows = every(500, (signal) => client.messages.latest('s', { since, wait: 25, signal }));
  await vi.advanceTimersByTimeAsync(15_000);
  // Seven requests at once, and those after the shared waits: 0.25, 0.5, 1, 2, 4, 4 s.
  expect(sent).toBeLessThanOrEqual(16);
  over.abort();
  await vi.runAllTimersAsync();
  await Promise.all([...reads, joins, follows]);
});

/** Returns a client whose first request fails, and whose others get no answer, and the signals of all requests. */
function hangingClient() {
  vi.useFakeTimers();
  const signals: AbortSignal[] = [];
  const fetch: typeof globalThis.fetch = async (_, { signal } = {}) => {
    if (signal) signals.push(signal);
    if (signals.length === 1) throw new TypeError('connection refused');
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => reject(signal.reason));
    return await promise;
  };
  const options = { baseUrl: 'http://127.0.0.1:1', random: () => 1, maxRetries: 0 };
  return { signals, client: createClient({ ...options, timeoutMs: 900, fetch }) };
}

test('an attempt that gets no answer during an outage counts for all that wait', async () => {
  const { client } = hangingClient();
  const failures: unknown[] = [];
  const read = async () =>
    await client.service.info().catch((error: unknown) => void failures.push(error));
  await read();
  const reads = Array.from({ length: 5 }, read);
  await vi.advanceTimersByTimeAsync(500 + 900);
  expect(failures).toHaveLength(6);
  expect(failures.every(isConnectionError)).toBe(true);
  await Promise.all(reads);
});

test('an attempt that its caller ends says nothing to those that wait', async () => {
  const { client, signals } = hangingClient();
  await expect(client.service.info()).rejects.toThrow(ConnectionError);
  const leaving = new AbortController();
  const left = failureOf(client.service.info({ signal: leaving.signal }));
  let isOver = false;
  const waiting = client.service.info().catch(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(500);
  expect(signals).toHaveLength(2);
  leaving.abort('enough');
  expect(await left).toBe('enough');
  await vi.advanceTimersByTimeAsync(500);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(500 + 900);
  expect(signals).toHaveLength(3);
  await waiting;
});

test('clients that a server lost together come back within 8 s, spread over them', async () => {
  vi.useFakeTimers();
  const backAt = Date.now() + 60_000;
  const returned: number[] = [];
  const clients = Array.from({ length: 200 }, () => {
    const fetch = awayFetch(
      () => Date.now() >= backAt,
      () => returned.push(Date.now() - backAt),
    );
    return readUntilAnswered(createClient({ baseUrl: 'http://127.0.0.1:1', fetch }));
  });
  await vi.advanceTimersByTimeAsync(68_000);
  expect(returned).toHaveLength(200);
  await Promise.all(clients);
  const inSecond = Array.from(
    { length: 8 },
    (_, second) => returned.filter((ms) => Math.floor(ms / 1000) === second).length,
  );
  expect(Math.max(...inSecond)).toBeLessThan(80);
  expect(returned.at(-1)).toBeLessThanOrEqual(8000);
});

test('what a person asks for is tried at once, and its answer ends the waits of all others', async () => {
  const { proxy, sent, client } = await behindProxy({ random: () => 1000, maxRetries: 0 });
  await using _ = proxy;
  await proxy.refuseConnections();
  await expect(client.service.info()).rejects.toThrow(ConnectionError);
  const logIn = () =>
    client.auth.logIn({ email: 'nobody@example.org', password: 'a wrong password' });
  const failing = client.service.info();
  await Promise.all([
    expect(logIn()).rejects.toThrow('POST /auth/login: no answer'),
    expect(failing).rejects.toThrow('GET / was not sent'),
  ]);
  expect(sent).toHaveLength(2);
  await proxy.acceptConnections();
  const waiting = client.service.info();
  await expect(logIn()).rejects.toMatchObject({ status: 401 });
  await expect(waiting).resolves.toHaveProperty('version');
});

test('`retryNow` ends the wait of the next attempt', async () => {
  await using server = await scriptedServer(lost, json({ name: 'service' }));
  const client = server.client({ random: () => 1000, maxRetries: 0 });
  await expect(client.service.info()).rejects.toThrow(ConnectionError);
  const waiting = client.service.info();
  client.retryNow();
  await expect(waiting).resolves.toEqual({ name: 'service' });
});

test('a request that waits ends with its signal', async () => {
  await using server = await scriptedServer(lost);
  const client = server.client({ random: () => 1000, maxRetries: 0 });
  await expect(client.service.info()).rejects.toThrow(ConnectionError);
  const leaving = new AbortController();
  const waiting = client.service.info({ signal: leaving.signal });
  leaving.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  expect(server.received).toHaveLength(1);
});

const status503: ScriptedAnswer = (response) => response.writeHead(503).end();

test.each([
  ['a proxy whose API is away', status503],
  ['an API whose database is away', problem(503, 'unavailable')],
])('%s is an outage too', async (_, answer) => {
  await using server = await scriptedServer(answer, json({}));
  const client = server.client({ random: () => 1000, maxRetries: 0 });
  await expect(client.service.info()).rejects.toMatchObject({ status: 503 });
  const waiting = client.auth.me();
  client.retryNow();
  await waiting;
});
