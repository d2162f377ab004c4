import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { readAnswer } from '../../testing/read-answer.ts';
import {
  modelSettings,
  PLANTED_KEY,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import { openModel } from '../rehearsal/open-model.ts';
import { loadSettings } from '../settings/index.ts';

/** Settings whose model is reached through `proxy`, as set in the operator's environment. */
function behind(proxy: string, env: Readonly<Record<string, string>> = {}) {
  return loadSettings({
    LLM_API_KEY: PLANTED_KEY,
    LLM_BASE_URL: 'http://model.example/v1',
    LLM_MODEL: 'scripted',
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy,
    https_proxy: proxy,
    ...env,
  }).model;
}

function proxyOf({ port }: { readonly port: number }): string {
  return `http://127.0.0.1:${port}`;
}

test('a request goes through the operator’s proxy, which resolves the name', async () => {
  await using proxy = await startScriptedModel(says('Hello'));
  expect((await readAnswer(behind(proxyOf(proxy)))).text).toBe('Hello');
  expect(proxy.requests.map(({ path }) => path)).toEqual([
    'http://model.example/v1/chat/completions',
  ]);
});

test('an https endpoint gets a tunnel, in which the proxy sees no key', async () => {
  const seen: unknown[] = [];
  await using proxy = createServer();
  proxy.on('connect', ({ url, headers }, socket) => {
    seen.push({ url, key: headers.authorization });
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const settings = behind(proxyOf({ port }), { LLM_BASE_URL: 'https://model.example/v1' });
  expect((await readAnswer(settings)).failure?.kind).toBe('unreachable');
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ url: 'model.example:443' })]),
  );
});

test('an https endpoint whose proxy stays silent is not waited for longer than for a first word', async () => {
  const sockets: Duplex[] = [];
  await using proxy = createServer();
  proxy.on('connect', (_, socket) => void sockets.push(socket));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const address = proxy.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const settings = behind(proxyOf({ port }), { LLM_BASE_URL: 'https://model.example/v1' });
  const { failure } = await readAnswer({ ...settings, firstTokenMs: 1000 });
  for (const socket of sockets) socket.destroy();
  expect(failure?.kind).toBe('stalled');
  expect(sockets).toHaveLength(1);
});

test.each([
  ['NO_PROXY names the host', { NO_PROXY: '127.0.0.1' }],
  ['Node is not told to use it', { NODE_USE_ENV_PROXY: '' }],
])('the proxy is not used where %s', async (_, env) => {
  await using proxy = await startScriptedModel(says('by proxy'));
  await using model = await startScriptedModel(says('straight'));
  const settings = behind(proxyOf(proxy), { LLM_BASE_URL: model.baseUrl, ...env });
  expect((await readAnswer(settings)).text).toBe('straight');
});

test('a name that resolves to a link-local address is refused behind a proxy, too', async () => {
  await using proxy = await startScriptedModel(says('credentials of the machine'));
  const { failure } = await readAnswer(
    behind(proxyOf(proxy)),
    {},
    { lookup: (_, __, callback) => callback(null, [{ address: '169.254.169.254', family: 4 }]) },
  );
  expect(failure?.kind).toBe('refused');
  expect(proxy.requests).toEqual([]);
});

test('the rehearsal model is in the same process, so no proxy sees it', async () => {
  await using proxy = await startScriptedModel(says('by proxy'));
  const settings = modelSettings({ ...behind(proxyOf(proxy)), apiKey: 'rehearsal' });
  await using model = await openModel(settings);
  const answer = model.client.stream(
    { messages: [{ role: 'user', content: 'Hello' }] },
    new AbortController().signal,
  );
  await answer.next();
  await answer.return(undefined);
  expect(proxy.requests).toEqual([]);
});
