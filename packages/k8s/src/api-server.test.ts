import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFakeApi, sendError, sendJson } from '../testing/fake-api.ts';
import { openApiServer } from './api-server.ts';
import { textLines } from './text-lines.ts';

test('a call sends its body as JSON with the user’s token, and returns the JSON of the response', async () => {
  await using fake = await openFakeApi((_, response) => sendJson(response, 201, { made: true }));
  expect(await fake.api.call('POST', '/api/v1/pods', { body: { kind: 'Pod' } })).toEqual({
    made: true,
  });
  expect(fake.requests).toMatchObject([
    {
      line: 'POST /api/v1/pods',
      body: { kind: 'Pod' },
      headers: { authorization: 'Bearer a-token', 'content-type': 'application/json' },
    },
  ]);
});

test.each([400, 401, 403, 404, 409, 410, 422])(
  'a refusal with %i is an ApiServerError, without a retry',
  async (status) => {
    await using fake = await openFakeApi((_, response) => sendError(response, status, 'Why', 'no'));
    await expect(fake.api.call('GET', '/api/v1/pods')).rejects.toMatchObject({
      name: 'ApiServerError',
      status,
      reason: 'Why',
      message: `The Kubernetes API responds ${status} Why: no`,
    });
    expect(fake.requests).toHaveLength(1);
  },
);

test.each(['GET', 'POST', 'DELETE'] as const)(
  'a %s is retried after 429, 503 and a broken connection, with the same body',
  async (method) => {
    const faults = [429, 503, 'broken'];
    await using fake = await openFakeApi((_, response) => {
      const fault = faults.shift();
      if (fault === undefined) sendJson(response, 200, { ok: true });
      else if (typeof fault === 'string') response.socket?.destroy();
      else sendError(response, fault, 'Later');
    });
    const options = method === 'GET' ? {} : { body: { a: 1 } };
    expect(await fake.api.call(method, '/x', options)).toEqual({ ok: true });
    expect(fake.requests.map(({ line }) => line)).toEqual(Array(4).fill(`${method} /x`));
    expect(new Set(fake.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  },
);

test('a fault that lasts is thrown after three retries', async () => {
  await using fake = await openFakeApi((_, response) => sendError(response, 503, 'Later'));
  await expect(fake.api.call('GET', '/x')).rejects.toMatchObject({ status: 503 });
  expect(fake.requests).toHaveLength(4);
});

test('a server that never responds fails the call in time', async () => {
  await using fake = await openFakeApi(() => {});
  const call = fake.api.call('GET', '/x', { timeoutMs: 50 });
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('after a failed call the next one uses a new connection', async () => {
  await using fake = await openFakeApi((request, response) => {
    if (request.url.pathname === '/fine') sendJson(response, 200, {});
  });
  await expect(fake.api.call('GET', '/silent', { timeoutMs: 50 })).rejects.toThrow('timeout');
  await expect(fake.api.call('GET', '/fine')).resolves.toEqual({});
});

test('an opened stream is read as it arrives, until it ends or its signal aborts', async () => {
  await using fake = await openFakeApi((request, response) => {
    response.write('one\ntwo\n');
    if (request.url.pathname === '/ends') response.end('three\n');
  });
  const ending = await fake.api.open('/ends', new AbortController().signal);
  expect(await Array.fromAsync(textLines(ending))).toEqual(['one', 'two', 'three']);
  const stop = new AbortController();
  const lines: string[] = [];
  const reading = (async () => {
    for await (const line of textLines(await fake.api.open('/open', stop.signal))) {
      lines.push(line);
      if (lines.length === 2) stop.abort();
    }
  })();
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  expect(lines).toEqual(['one', 'two']);
});

test('a stream that breaks throws after what it has sent', async () => {
  await using fake = await openFakeApi((_, response) => {
    response.write('one\n', () => response.socket?.destroy());
  });
  const lines: string[] = [];
  const reading = (async () => {
    const stream = await fake.api.open('/x', new AbortController().signal);
    for await (const line of textLines(stream)) lines.push(line);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  expect(lines).toEqual(['one']);
});

test('a refused stream is an ApiServerError', async () => {
  await using fake = await openFakeApi((_, response) => sendError(response, 410, 'Expired'));
  const opening = fake.api.open('/x', new AbortController().signal);
  await expect(opening).rejects.toMatchObject({ status: 410, reason: 'Expired' });
});

test.each([
  ['no file', undefined, /cannot be read: set KUBECONFIG/],
  ['no YAML', ': {', /cannot be read: set KUBECONFIG/],
  ['no context', '{}', /has no current cluster: choose one with “kubectl config use-context”/],
  [
    'a context without a cluster',
    '{"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],"current-context":"x"}',
    /has no current cluster/,
  ],
])('a kubeconfig with %s refuses the start, and says what to do', async (_, content, message) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'kubeconfig-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'config');
  if (content !== undefined) await writeFile(file, content);
  expect(() => openApiServer(file)).toThrow(message);
});
