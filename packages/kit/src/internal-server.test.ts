import { once } from 'node:events';
import { connect } from 'node:net';
import { text as streamText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { StartError } from './errors.ts';
import { type InternalAnswer, type InternalServer, serveInternally } from './internal-server.ts';

/** The last headers of a request: the server closes the connection after its answer. */
const CLOSE = 'host: a\r\nconnection: close\r\n\r\n';
const address = { host: '127.0.0.1', port: 0 };

const text = (body: string): InternalAnswer => ({ status: 200, contentType: 'text/plain', body });

test('an answer has the status and type of its route, and is never cached', async () => {
  await using server = await serveInternally(address, {
    '/health': () => ({ status: 503, contentType: 'application/json', body: '{"ok":false}' }),
  });
  const response = await fetch(`http://127.0.0.1:${server.port}/health`);
  expect([response.status, await response.json()]).toEqual([503, { ok: false }]);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const alive = await fetch(`http://127.0.0.1:${server.port}/`);
  expect([alive.status, await alive.text()]).toEqual([200, '{"status":"ok"}']);
});

test.each([
  '/here/',
  '/HERE',
  '/here/there',
  '//here',
  '/%68ere',
  '/__proto__',
  '/toString',
  '/constructor',
  '/hasOwnProperty',
])('404 for %s, which is not the path of a route', async (path) => {
  await using server = await serveInternally(address, { '/here': () => text('here') });
  const answer = await exchange(server, `GET ${path} HTTP/1.1\r\n${CLOSE}`);
  expect(answer).toMatch(/^HTTP\/1\.1 404 .*\{"status":"unknown"\}/s);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  '404 for a %s of a path that only a GET knows, and the other way round',
  async (method) => {
    await using server = await serveInternally(address, {
      '/here': () => text('read'),
      [`${method} /there`]: () => text(method),
    });
    const url = `http://127.0.0.1:${server.port}`;
    expect((await fetch(`${url}/here`, { method })).status).toBe(404);
    expect((await fetch(`${url}/there`)).status).toBe(404);
    expect(await (await fetch(`${url}/there`, { method })).text()).toBe(method);
  },
);

test('the query of a request does not decide its route', async () => {
  await using server = await serveInternally(address, { '/here': () => text('here') });
  for (const query of ['?', '?a=1', '?/there', '?a?b']) {
    const response = await fetch(`http://127.0.0.1:${server.port}/here${query}`);
    expect(await response.text()).toBe('here');
  }
});

test.each([
  [
    'thrown',
    () => {
      throw new Error('hunter2');
    },
  ],
  ['rejected with', () => Promise.reject(new Error('hunter2'))],
])('500 without the reason for an error that is %s, and the server goes on', async (_, failing) => {
  await using server = await serveInternally(address, {
    '/failing': failing,
    '/here': () => text('here'),
  });
  const failed = await fetch(`http://127.0.0.1:${server.port}/failing`);
  expect([failed.status, await failed.text()]).toEqual([500, '{"status":"failed"}']);
  expect(await (await fetch(`http://127.0.0.1:${server.port}/here`)).text()).toBe('here');
});

test.each([
  ['no HTTP', 'hello\r\n\r\n'],
  ['a header without a name', `GET /here HTTP/1.1\r\n: x\r\n${CLOSE}`],
  ['a line of garbage among the headers', `GET /here HTTP/1.1\r\nno header\r\n${CLOSE}`],
  ['two lengths', `POST /there HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n${CLOSE}ab`],
  ['a length that is no number', `POST /there HTTP/1.1\r\ncontent-length: x\r\n${CLOSE}`],
  [
    'a chunk without a size',
    `POST /there HTTP/1.1\r\ntransfer-encoding: chunked\r\n${CLOSE}zz\r\n`,
  ],
])('400 for %s, and the server goes on', async (_, request) => {
  await using server = await serveInternally(address, {
    '/here': () => text('here'),
    'POST /there': ({ body }) => text(body),
  });
  expect(await exchange(server, request)).toMatch(/^HTTP\/1\.1 400 /);
  expect(await (await fetch(`http://127.0.0.1:${server.port}/here`)).text()).toBe('here');
});

test.each([
  ['one byte less than 1 MiB', 1_048_575, 200],
  ['exactly 1 MiB', 1_048_576, 200],
  ['one byte more', 1_048_577, 413],
])('a body of %s is answered with its own status', async (_, bytes, status) => {
  await using server = await serveInternally(address, {
    'POST /there': ({ body }) => text(String(body.length)),
  });
  const url = `http://127.0.0.1:${server.port}/there`;
  const response = await fetch(url, { method: 'POST', body: 'x'.repeat(bytes) });
  expect(response.status).toBe(status);
  expect(await response.text()).toBe(status === 200 ? String(bytes) : '{"status":"too large"}');
});

test('a route gets the headers and a body in chunks put together, and its limit counts bytes of UTF-8', async () => {
  await using server = await serveInternally(address, {
    'POST /there': ({ headers, body }) => text(`${headers.host} ${body}`),
  });
  const chunked = 'POST /there HTTP/1.1\r\ntransfer-encoding: chunked\r\n';
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
  const parts = [`${chunked}${CLOSE}1\r\n`, first, '\r\n1\r\n', second, '\r\n0\r\n\r\n'];
  const request = Buffer.concat(parts.map((part) => Buffer.from(part)));
  expect(await exchange(server, request)).toContain('a é');
  const url = `http://127.0.0.1:${server.port}/there`;
  const tooLarge = await fetch(url, { method: 'POST', body: 'é'.repeat(524_289) });
  expect(tooLarge.status).toBe(413);
});

test('a request that is broken off in its body never reaches its route', async () => {
  let calls = 0;
  await using server = await serveInternally(address, {
    'POST /there': () => {
      calls += 1;
      return text('reached');
    },
    '/here': () => text('here'),
  });
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST /there HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf');
  socket.destroy();
  await once(socket, 'close');
  expect(await (await fetch(`http://127.0.0.1:${server.port}/here`)).text()).toBe('here');
  expect(calls).toBe(0);
});

test('closing cuts off a request whose answer never comes', async () => {
  const asked = Promise.withResolvers<void>();
  const server = await serveInternally(address, {
    '/endless': async () => {
      asked.resolve();
      return await new Promise<never>(() => {});
    },
  });
  const pending = fetch(`http://127.0.0.1:${server.port}/endless`);
  pending.catch(() => {});
  await asked.promise;
  await server[Symbol.asyncDispose]();
  await expect(pending).rejects.toThrow('fetch failed');
  await expect(fetch(`http://127.0.0.1:${server.port}/endless`)).rejects.toThrow('fetch failed');
});

test('a closed server leaves its port free', async () => {
  const first = await serveInternally(address, {});
  const { port } = first;
  await first[Symbol.asyncDispose]();
  await using second = await serveInternally({ ...address, port }, {});
  expect(second.port).toBe(port);
});

test.each([
  ['a port that is taken', '127.0.0.1', 'EADDRINUSE'],
  ['an address of another machine', '192.0.2.1', 'EADDRNOTAVAIL'],
])('a start with %s names the address, the reason and what to set', async (_, host, code) => {
  await using server = await serveInternally(address, {});
  const message = `${host}:${server.port} cannot be used (${code}): change METRICS_PORT or HOST.`;
  const start = serveInternally({ host, port: server.port }, {});
  await expect(start).rejects.toThrow(new StartError(message));
  await expect(start).rejects.toBeInstanceOf(StartError);
  await expect(
    serveInternally({ host, port: server.port, portVariable: 'WEBHOOK_PORT' }, {}),
  ).rejects.toThrow('change WEBHOOK_PORT or HOST.');
});

/** Sends bytes over a new connection, and returns everything that comes back until the server closes it. */
async function exchange(server: InternalServer, request: string | Buffer): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  socket.end(request);
  return await streamText(socket);
}
