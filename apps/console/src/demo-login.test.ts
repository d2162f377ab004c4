import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { DEMO_KEY, startTestConsole } from '../testing/console.ts';

const post = { method: 'POST' } as const;
const authorization = `Bearer ${DEMO_KEY}`;

test.each(['127.0.0.1', 'localhost', '[::1]'])(
  '200 with a token for a page of our own in a browser of this machine, by the name %s',
  async (name) => {
    const console = await startTestConsole();
    const host = `${name}:${console.port}`;
    const page = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    const headers = { ...page, authorization };
    const { status, headers: sent, body } = await console.ask('/demo-login', { ...post, headers });
    expect([status, JSON.parse(body.toString())]).toEqual([200, { token: 'demo-token' }]);
    expect(sent['cache-control']).toBe('no-store');
    expect(sent).not.toHaveProperty('access-control-allow-origin');
  },
);

const REFUSED: readonly (readonly [string, Readonly<Record<string, string | undefined>>])[] = [
  ['another Host', { host: 'console.example:3001', origin: 'http://console.example:3001' }],
  ['a Host that only begins like ours', { host: '127.0.0.1.evil.example' }],
  ['a Host with a user', { host: 'localhost:3001@evil.example' }],
  ['an address of this machine in its network', { host: '192.168.1.7:3001' }],
  ['another origin', { origin: 'http://evil.example' }],
  ['another port', { origin: 'http://127.0.0.1:1' }],
  ['another scheme', { origin: 'https://127.0.0.1' }],
  ['an opaque origin', { origin: 'null' }],
  ['no origin', { origin: undefined }],
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a page of another port', { 'sec-fetch-site': 'same-site' }],
  ['a page without the key', { authorization: undefined }],
  ['a page with another key', { authorization: 'Bearer other-key' }],
  ['a page with a part of the key', { authorization: authorization.slice(0, -1) }],
  ['a page with the key in another scheme', { authorization: `Basic ${DEMO_KEY}` }],
  ['a proxy: X-Forwarded-For', { 'x-forwarded-for': '203.0.113.7' }],
  ['a proxy: X-Forwarded-Host, empty', { 'x-forwarded-host': '' }],
  ['a proxy: Forwarded', { forwarded: 'for=203.0.113.7' }],
  ['a proxy: Via', { via: '1.1 proxy' }],
  ['a proxy: X-Real-IP', { 'X-Real-IP': '203.0.113.7' }],
];

test.each(REFUSED)('403 without a token for a request by %s', async (_what, headers) => {
  const console = await startTestConsole();
  const host = `127.0.0.1:${console.port}`;
  const origin = `http://${headers['host'] ?? host}`;
  const all = { host, origin, authorization, ...headers };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  const { status, body } = await console.ask('/demo-login', {
    ...post,
    headers: Object.fromEntries(given),
  });
  expect([status, JSON.parse(body.toString()).code]).toEqual([403, 'forbidden']);
  expect(body.toString()).not.toContain('demo-token');
});

test('403 without a token for two Host headers', async () => {
  const console = await startTestConsole();
  const host = `127.0.0.1:${console.port}`;
  const answer = await console.sendBytes(
    `POST /demo-login HTTP/1.1\r\nhost: ${host}\r\nhost: evil.example\r\norigin: http://${host}\r\nauthorization: ${authorization}\r\nconnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 40[03] /);
  expect(answer).not.toContain('demo-token');
});

test.runIf(process.platform === 'linux' && networkAddress())(
  '403 without a token for a connection that comes from a network, whatever it says of itself',
  async () => {
    const console = await startTestConsole();
    const host = `127.0.0.1:${console.port}`;
    const headers = { host, origin: `http://${host}`, authorization };
    // Linux lets a program connect from an address of the machine's network to a loopback address.
    const options = { ...post, headers, localAddress: networkAddress() };
    const { status, body } = await console.ask('/demo-login', options);
    expect([status, JSON.parse(body.toString()).code]).toEqual([403, 'forbidden']);
  },
);

test('404 without a token, and no demo in the configuration, while other machines can connect', async () => {
  const console = await startTestConsole({ HOST: '0.0.0.0' });
  const host = `127.0.0.1:${console.port}`;
  const headers = { host, origin: `http://${host}`, authorization };
  const { status, body } = await console.ask('/demo-login', { ...post, headers });
  expect([status, JSON.parse(body.toString()).code]).toEqual([404, 'not_found']);
  expect(await demoOf(console, { host })).toBe(false);
});

test('the configuration offers the demo to those only who would get a token', async () => {
  const console = await startTestConsole();
  expect(await demoOf(console, {})).toBe(true);
  expect(await demoOf(console, { host: 'console.example' })).toBe(false);
  expect(await demoOf(console, { 'x-forwarded-for': '203.0.113.7' })).toBe(false);
});

/** Returns an address of this machine in a network, where it has any. */
function networkAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}

async function demoOf(
  console: Awaited<ReturnType<typeof startTestConsole>>,
  headers: Record<string, string>,
): Promise<unknown> {
  return JSON.parse((await console.ask('/config.json', { headers })).body.toString()).demo;
}
