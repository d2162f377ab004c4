import { StartError } from '@session/kit';
import { packetPublicKey } from '@session/media';
import { expect, test } from 'vitest';
import { readRoom } from './config.ts';

const MEDIA_URL = 'ws://127.0.0.1:7880';
const keys = { MEDIA_URL, MEDIA_API_KEY: 'key', MEDIA_API_SECRET: 'secret' };
const credentials = { apiKey: 'key', apiSecret: 'secret' };
const packetKey = packetPublicKey(credentials);

test.each([
  [
    { MEDIA_URL, MEDIA_TOKEN: 't', MEDIA_ROOM: 'r' },
    { room: 'r', credentials: { token: 't' } },
  ],
  [
    { MEDIA_URL, MEDIA_TOKEN: 't', MEDIA_ROOM: 'r', MEDIA_PACKET_KEY: packetKey },
    { room: 'r', credentials: { token: 't' }, packetKey },
  ],
  [
    { ...keys, MEDIA_ROOM: 'r' },
    { room: 'r', credentials, packetKey },
  ],
  [
    { ...keys, SESSION_ID: 's' },
    { room: 's', credentials, packetKey },
  ],
  [
    { ...keys, SESSION_ID: 's', MEDIA_ROOM: '', MEDIA_TOKEN: '' },
    { room: 's', credentials, packetKey },
  ],
])('these variables are enough to find a room: %o', (env, expected) => {
  expect(readRoom(env)).toEqual({ url: MEDIA_URL, ...expected });
});

test.each([
  [{ MEDIA_URL: '' }, /^MEDIA_URL is not set: .+$/],
  [{ MEDIA_API_KEY: '' }, /^MEDIA_API_KEY is not set: .+$/],
  [{ MEDIA_API_SECRET: '' }, /^MEDIA_API_SECRET is not set: .+$/],
  [{ MEDIA_ROOM: '' }, /^MEDIA_ROOM is not set: .+$/],
  [{ MEDIA_PACKET_KEY: 'short' }, /^MEDIA_PACKET_KEY is not valid: a public key in base64url$/],
  [{ MEDIA_URL: 'there' }, /^MEDIA_URL is not valid: .+$/],
  [
    { MEDIA_URL: '', MEDIA_API_KEY: '', MEDIA_API_SECRET: '' },
    /^MEDIA_URL .+\nMEDIA_API_KEY .+\nMEDIA_API_SECRET .+$/,
  ],
])('a room is refused with a line for each missing or faulty variable: %o', (change, message) => {
  const load = () => readRoom({ ...keys, MEDIA_ROOM: 'r', ...change });
  expect(load).toThrow(StartError);
  expect(load).toThrow(message);
});
