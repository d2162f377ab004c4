import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { API_URL, makePages, startTestConsole } from '../testing/console.ts';

const FILE = '/assets/index-1a2b.js';

test.each([
  '/',
  '/index.html',
  '/sign-in',
  '/projects/7?panel=plan',
  '//elsewhere.example/a',
  '/a/%252e%252e',
])('200 with the page for %s, which no browser keeps', async (target) => {
  const console = await startTestConsole();
  const { status, headers, body } = await console.ask(target);
  expect([status, body.toString()]).toEqual([200, '<!doctype html>']);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  });
});

test.each([
  ['br, gzip', 'br', 'brotli'],
  ['gzip, deflate', 'gzip', 'gzip'],
  ['br;q=0, *', 'gzip', 'gzip'],
  ['BR; Q=0.5', 'br', 'brotli'],
  ['identity', undefined, 'plain'],
  ['', undefined, 'plain'],
])(
  'a file that was compressed at build, for `accept-encoding: %s`',
  async (accepted, encoding, content) => {
    const console = await startTestConsole();
    const { status, headers, body } = await console.ask(FILE, {
      headers: { 'accept-encoding': accepted },
    });
    expect([status, headers['content-encoding'], body.toString()]).toEqual([
      200,
      encoding,
      content,
    ]);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
  },
);

test('304 for the tag of the same encoding only; a file without a hash in its name is asked for again', async () => {
  const console = await startTestConsole();
  const headers = { 'accept-encoding': 'br' };
  const { headers: first } = await console.ask(FILE, { headers });
  const again = { ...headers, 'if-none-match': `"other", ${first.etag}` };
  expect(await console.ask(FILE, { headers: again })).toMatchObject({
    status: 304,
    body: Buffer.alloc(0),
  });
  const plain = { 'if-none-match': first.etag };
  expect(await console.ask(FILE, { headers: plain })).toMatchObject({ status: 200 });
  const { headers: robots } = await console.ask('/robots.txt');
  expect(robots).toMatchObject({ 'cache-control': 'no-cache', etag: expect.any(String) });
});

test('a folder above the pages that is called assets makes no browser keep the page', async () => {
  const folder = await makePages({
    'assets/pages/index.html': '<!doctype html>',
    'assets/pages/assets/index-1a2b.js': 'plain',
  });
  const console = await startTestConsole({ CONSOLE_PAGES_DIR: path.join(folder, 'assets/pages') });
  const { headers: page } = await console.ask('/');
  expect(page['cache-control']).toBe('no-store');
  const { headers: file } = await console.ask(FILE);
  expect(file['cache-control']).toBe('public, max-age=31536000, immutable');
});

test('HEAD: the headers of GET, and no body', async () => {
  const console = await startTestConsole();
  for (const target of ['/', FILE, '/config.json', '/none.js']) {
    const get = await console.ask(target);
    const head = await console.ask(target, { method: 'HEAD' });
    expect(head.body).toHaveLength(0);
    const { date: _date, 'x-request-id': _id, ...headers } = get.headers;
    expect([head.status, head.headers]).toMatchObject([get.status, headers]);
  }
});

test.each([
  '/../index.html',
  '/assets/../../../etc/passwd',
  '/%2e%2e/%2E%2E/etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%5c..%5cetc',
  '/assets/%00',
  '/%0d%0aset-cookie:a=b',
  '/%zz',
  '/%c0%ae%c0%ae/',
  'http://[',
  'index.html',
])('400 for the target %s', async (target) => {
  const console = await startTestConsole();
  const answer = await console.sendBytes(
    `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toContain('"code":"invalid_request"');
});

test.each(['/assets/none.js', '/.env', '/assets/index-1a2b.js.br', '/a.b%2fc.d'])(
  '404 for %s, with the next step',
  async (target) => {
    const console = await startTestConsole();
    const { status, headers, body } = await console.ask(target);
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect(JSON.parse(body.toString())).toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('Reload'),
    });
  },
);

test.each([
  ['POST', '/', 'GET, HEAD'],
  ['PUT', FILE, 'GET, HEAD'],
  ['OPTIONS', '/config.json', 'GET, HEAD'],
  ['GET', '/demo-login', 'POST'],
])('405 for %s %s, with the methods that are possible', async (method, target, allow) => {
  const console = await startTestConsole();
  const { status, headers } = await console.ask(target, { method });
  expect([status, headers.allow]).toEqual([405, allow]);
});

test('every answer has the headers for browsers, and the pages connect to the API and to LiveKit only', async () => {
  const console = await startTestConsole({
    CONSOLE_MEDIA_URLS: 'wss://livekit.example/rtc, http://127.0.0.1:7880',
  });
  const connections =
    "'self' https://api.example wss://livekit.example https://livekit.example ws://127.0.0.1:7880 http://127.0.0.1:7880";
  const expected = {
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src ${connections}; media-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'microphone=(self), speaker-selection=(self), camera=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  for (const target of ['/', FILE, '/config.json', '/health', '/none.js', '/demo-login', '/%']) {
    expect((await console.ask(target)).headers).toMatchObject(expected);
  }
});

test('an API below the console’s own origin needs no other connection', async () => {
  const console = await startTestConsole({ CONSOLE_API_URL: '/api/' });
  const { headers } = await console.ask('/');
  expect(headers['content-security-policy']).toContain("connect-src 'self';");
  expect(JSON.parse((await console.ask('/config.json')).body.toString()).apiUrl).toBe('/api');
});

test('the configuration names the API, and is never kept', async () => {
  const console = await startTestConsole();
  const { headers, body } = await console.ask('/config.json');
  expect(headers['cache-control']).toBe('no-store');
  expect(JSON.parse(body.toString())).toEqual({ apiUrl: API_URL, demo: true });
});

test('400 for what is no request, 431 for headers above 16 KiB: the connection ends with a problem', async () => {
  const console = await startTestConsole();
  expect(await console.sendBytes('hello\r\n\r\n')).toMatch(
    /^HTTP\/1.1 400 (?:.|\n|\r)*invalid_request/,
  );
  expect(await console.sendBytes('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
  const large = `GET / HTTP/1.1\r\nhost: a\r\ncookie: ${'c'.repeat(20_000)}\r\n\r\n`;
  expect(await console.sendBytes(large)).toMatch(/^HTTP\/1.1 431 (?:.|\n|\r)*headers_too_large/);
  expect(await console.ask('/health')).toMatchObject({ status: 200 });
});

test('a server that ends does not wait for connections that are kept open', async () => {
  const console = await startTestConsole();
  const sockets = Array.from({ length: 2 }, () => connect(console.port, '127.0.0.1'));
  const ends = sockets.map(
    async (socket) =>
      await new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)),
  );
  sockets[0]?.end('GET /health HTTP/1.1\r\nhost: a\r\n\r\n');
  // The other connection never sends a request.
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await console.close();
  expect(await Promise.all(ends)).toHaveLength(2);
});

test('a port that is taken stops the start with the name of its variable', async () => {
  const { port } = await startTestConsole();
  await expect(startTestConsole({ PORT: String(port) })).rejects.toThrow(
    `127.0.0.1:${port} is taken by another program: set PORT.`,
  );
});
