import { randomBytes } from 'node:crypto';
import { MAX_PACKET_BYTES } from '@session/contract/room';
import { startVirtualTime } from '@session/testing/virtual-time';
import { expect, test, vi } from 'vitest';
import { packetEncoder, packetPublicKey, packetVerifier } from './signed-packet.ts';

const server = { apiSecret: randomBytes(32).toString('hex') };
const sender = { identity: 'user-ann', name: 'Ann 👋 \u2028\ud800' };
const packet = { type: 'user_text', data: 'Hello', id: '1', missed: undefined, sender };
const encode = packetEncoder(server);
const isSigned = packetVerifier(packetPublicKey(server));

function sent(room: string, fields: object) {
  return JSON.parse(new TextDecoder().decode(encode(room, fields)));
}

test('a packet of the server passes in its room, and its secret stays secret', () => {
  expect(sent('room', packet)).toMatchObject({ type: 'user_text', data: 'Hello', id: '1' });
  expect(isSigned('room', sent('room', packet))).toBe(true);
  expect(packetPublicKey(server)).toMatch(/^[\w-]{43}$/);
});

test.each([
  ['sent into another room', 'other', {}],
  ['with other words', 'room', { data: 'Hello!' }],
  ['in the name of somebody else', 'room', { sender: { identity: 'user-ben', name: 'Ben' } }],
  ['under another id', 'room', { id: '2' }],
  ['with a mark of the API', 'room', { missed: true }],
  ['with another time', 'room', { signedAt: Date.now() + 60_000 }],
  ['without a signature', 'room', { signature: undefined }],
  ['with a signature that is none', 'room', { signature: '?' }],
  ['with a signature that is a number', 'room', { signature: 1 }],
])('a packet of the server does not pass %s', (_, room, change) => {
  expect(isSigned(room, { ...sent('room', packet), ...change })).toBe(false);
});

test('a packet that somebody sends again passes for five minutes', () => {
  startVirtualTime();
  const heard = sent('room', packet);
  vi.setSystemTime(Date.now() + 300_000);
  expect(isSigned('room', heard)).toBe(true);
  vi.setSystemTime(Date.now() + 1);
  expect(isSigned('room', heard)).toBe(false);
});

test('a packet that another server has signed does not pass, nor what is no packet', () => {
  const foreign = packetEncoder({ apiSecret: 'another' })('room', packet);
  expect(isSigned('room', JSON.parse(new TextDecoder().decode(foreign)))).toBe(false);
  for (const other of [null, 'text', 1, []]) expect(isSigned('room', other)).toBe(false);
});

test('a packet that its signature would make too large for the room names nobody', () => {
  const data = 'x'.repeat(MAX_PACKET_BYTES - 100);
  expect(sent('room', { type: 'user_text', data, sender })).toEqual({ type: 'user_text', data });
});
