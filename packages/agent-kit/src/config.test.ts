import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { readRoom } from './config.ts';

const MEDIA_URL = 'ws://127.0.0.1:7880';
const keys = { MEDIA_URL, MEDIA_API_KEY: 'key', MEDIA_API_SECRET: 'secret' };
const credentials = { apiKey: 'key', apiSecret: 'secret' };

test.each([
  [
    { MEDIA_URL, MEDIA_TOKEN: 't', MEDIA_ROOM: 'r' },
    { room: 'r', credentials: { token: 't' } },
  ],
  [
    { ...keys, MEDIA_ROOM: 'r' },
    { room: 'r', credentials },
  ],
  [
    { ...keys, SESSION_ID: 's' },
    { room: 's', credentials },
  ],
  [
    { ...keys, SESSION_ID: 's', MEDIA_ROOM: '', MEDIA_TOKEN: '' },
    { room: 's', credentials },
  ],
])('these variables are enough to find a room: %o', (env, expected) => {
  expect(readRoom(env)).toEqual({ url: MEDIA_URL, ...expected });
});

test.each([
  [{ MEDIA_URL: '' }, /^MEDIA_URL is not set: .+$/],
  [{ MEDIA_API_KEY: '' }, /^MEDIA_API_KEY is not set: .+$/],
  [{ MEDIA_API_SECRET: '' }, /^MEDIA_API_SECRET is not set: .+$/],
  [{ MEDIA_ROOM: '' }, /^MEDIA_ROOM is not set: .+$/],
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
