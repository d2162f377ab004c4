import { expect, test } from 'vitest';
import { type ReceiverAnswer, startReceiver } from '../../testing/webhook-receiver.ts';
import { WebhookSender } from './webhook-request.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const SECRET = `whsec_${Buffer.from('a secret').toString('base64')}`;
const NEVER = new AbortController().signal;

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
