import type { LookupFunction } from 'node:net';
import { expect, test, vi } from 'vitest';
import { isSignedBy, type ReceiverAnswer, startReceiver } from '../../testing/webhook-receiver.ts';
import { refusalOfUrl, WebhookSender } from './webhook-request.ts';

const ALL = ['0.0.0.0/0', '::/0'];
const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const SECRET = `whsec_${Buffer.from('a secret').toString('base64')}`;
const NEVER = new AbortController().signal;

/** Resolves every name to `addresses`. */
const resolvesTo = (...addresses: readonly string[]): LookupFunction => {
  const answers = addresses.map((address) => ({ address, family: 4 }));
  return (_name, { all }, done) => {
    if (all === true) done(null, answers);
    else done(null, answers[0]?.address ?? '', 4);
  };
};

const request = (url: string, secrets: readonly string[] = [SECRET]) => ({
  url,
  id: '0190a0b0-0000-7000-8000-000000000000',
  body: '{}',
  secrets,
});

const raw =
  (answer: string): ReceiverAnswer =>
  ({ socket }) =>
    socket?.end(answer);

const UPGRADE =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

test.for([
  ['another protocol', UPGRADE],
  ['101 alone', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
] as const)('an answer with %s is a failure', async ([, answer]) => {
  await using receiver = await startReceiver();
  using sender = new WebhookSender(LOOPBACK);
  receiver.answer = raw(answer);
  const expected = { statusCode: 101, failure: 'HTTP 101', response: '' };
  expect(await sender.send(request(receiver.url), NEVER)).toMatchObject(expected);
});

test('a receiver that does not answer within the limit has not taken the message', async () => {
  const limit = new AbortController();
  using limits = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  await using receiver = await startReceiver(() => limit.abort());
  using sender = new WebhookSender(LOOPBACK);
  expect(await sender.send(request(receiver.url), NEVER)).toMatchObject({
    statusCode: null,
    failure: 'no answer within 15 s',
  });
  expect(limits.mock.calls).toEqual([[15_000]]);
  expect(receiver.received).toHaveLength(1);
});

const NEEDS_HTTPS = 'the URL must begin with https://';
const IS_CLOSED = 'the address of the URL is not public, and WEBHOOK_NETWORKS does not open it';

test.for<[url: string, networks: readonly string[], refusal: string | undefined]>([
  ['https://example.org/hook', [], undefined],
  ['https://8.8.8.8/hook', [], undefined],
  ['example.org', [], 'the URL cannot be read'],
  ['ftp://example.org', LOOPBACK, NEEDS_HTTPS],
  ['https://user@example.org', [], 'the URL must not contain a user or a password'],
  ['https://example.org/#part', [], 'the URL must not contain a fragment'],
  ['https://127.0.0.1', [], IS_CLOSED],
  ['https://0x7f.1', [], IS_CLOSED],
  ['https://2130706433', [], IS_CLOSED],
  ['https://[::ffff:127.0.0.1]', [], IS_CLOSED],
  ['https://10.0.0.1', LOOPBACK, IS_CLOSED],
  ['https://127.0.0.1', LOOPBACK, undefined],
  // The addresses of a name are checked at the connection.
  ['http://example.org', [], NEEDS_HTTPS],
  ['http://example.org', LOOPBACK, undefined],
  ['http://127.0.0.1', [], NEEDS_HTTPS],
  ['http://127.0.0.1', LOOPBACK, undefined],
  ['http://[::1]', LOOPBACK, undefined],
  ['http://8.8.8.8', LOOPBACK, NEEDS_HTTPS],
  ['http://10.0.0.1', LOOPBACK, IS_CLOSED],
  // Whatever the operator opens.
  ['https://169.254.169.254', ALL, IS_CLOSED],
  ['http://169.254.169.254', ALL, IS_CLOSED],
  ['https://[fe80::1]', ALL, IS_CLOSED],
  ['https://[fd00:ec2::254]', ALL, IS_CLOSED],
  ['https://[64:ff9b::a9fe:a9fe]', ALL, IS_CLOSED],
  ['http://100.100.100.200', ALL, IS_CLOSED],
])('%s with the networks %o', ([url, networks, refusal]) => {
  expect(refusalOfUrl(url, networks)).toBe(refusal);
});

test.for<[scheme: string, address: string, networks: readonly string[], failure: string]>([
  ['https', '10.0.0.1', LOOPBACK, IS_CLOSED],
  ['https', '169.254.169.254', ALL, IS_CLOSED],
  ['http', '8.8.8.8', LOOPBACK, 'the address of the URL is in no network that is opened for http'],
  ['http', '169.254.169.254', ALL, expect.stringContaining('the address of the URL')],
])('by %s a name that leads to %s is not asked', async ([scheme, address, networks, failure]) => {
  using sender = new WebhookSender(networks, resolvesTo(address));
  const attempt = await sender.send(request(`${scheme}://hook.example`), NEVER);
  expect(attempt).toMatchObject({ statusCode: null, failure });
});

test('a name that got no turn to be resolved is reported as such', async () => {
  const error = Object.assign(new Error('no turn'), { code: 'ETIMEOUT' });
  using sender = new WebhookSender(ALL, (_name, _options, done) => done(error, '', 0));
  const failure = 'the name of the host was not resolved in time';
  const attempt = await sender.send(request('https://hook.example'), NEVER);
  expect(attempt).toMatchObject({ statusCode: null, failure });
});

test('a name of an opened network is asked, by http too', async () => {
  await using receiver = await startReceiver();
  using sender = new WebhookSender(LOOPBACK, resolvesTo('127.0.0.1'));
  const url = receiver.url.replace('127.0.0.1', 'hook.example');
  expect(await sender.send(request(url), NEVER)).toMatchObject({ statusCode: 204, failure: null });
});

test.for([
  ['127.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '127.0.0.1'],
] as const)(
  'a name with the addresses %s and %s is not asked: one of them is closed',
  async (addresses) => {
    await using receiver = await startReceiver();
    using sender = new WebhookSender(LOOPBACK, resolvesTo(...addresses));
    const url = receiver.url.replace('127.0.0.1', 'hook.example');
    expect(await sender.send(request(url), NEVER)).toMatchObject({
      statusCode: null,
      failure: 'the address of the URL is in no network that is opened for http',
    });
    expect(receiver.received).toEqual([]);
  },
);

test('a redirect is a failure, and is not followed', async () => {
  await using other = await startReceiver();
  await using receiver = await startReceiver((response) =>
    response.writeHead(308, { location: other.url }).end(),
  );
  using sender = new WebhookSender(LOOPBACK);
  const attempt = await sender.send(request(receiver.url), NEVER);
  expect(attempt).toMatchObject({ statusCode: 308, failure: 'HTTP 308' });
  expect(other.received).toEqual([]);
});

test('after a rotation both secrets sign', async () => {
  await using receiver = await startReceiver();
  using sender = new WebhookSender(LOOPBACK);
  const keys = [Buffer.from('the new key'), Buffer.from('the former key')];
  const secrets = keys.map((key) => `whsec_${key.toString('base64')}`);
  await sender.send(request(receiver.url, secrets), NEVER);
  const [received] = receiver.received;
  if (!received) throw new Error('the request has come');
  expect([...secrets, SECRET].map((secret) => isSignedBy(secret, received))).toEqual([
    true,
    true,
    false,
  ]);
});

test.for<[statusCode: number, header: string, minutes: number | undefined]>([
  [429, '420', 7],
  [503, '999999999', 60],
  [503, new Date(Date.now() + 1_800_000).toUTCString(), 30],
  [429, 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
  [429, 'soon', undefined],
  [500, '420', undefined],
])('%i with `Retry-After: %s`', async ([statusCode, header, minutes]) => {
  await using receiver = await startReceiver((response) =>
    response.writeHead(statusCode, { 'retry-after': header }).end(),
  );
  using sender = new WebhookSender(LOOPBACK);
  const { retryAfterMs } = await sender.send(request(receiver.url), NEVER);
  expect(retryAfterMs && Math.round(retryAfterMs / 60_000)).toBe(minutes);
});

test('without a secret nothing is sent', async () => {
  await using receiver = await startReceiver();
  using sender = new WebhookSender(LOOPBACK);
  const failure = 'the secret cannot be opened: rotate it';
  const attempt = await sender.send(request(receiver.url, []), NEVER);
  expect(attempt).toMatchObject({ statusCode: null, failure });
  expect(receiver.received).toEqual([]);
});
