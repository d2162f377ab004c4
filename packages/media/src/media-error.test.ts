import { inspect } from 'node:util';
import { AppError } from '@session/kit';
import { expect, test } from 'vitest';
import { isRefusedToken, mediaError } from './media-error.ts';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

test('a failure of the media server is media_unavailable, with the attempt and its reason', () => {
  const cause = new Error('connect ECONNREFUSED', { cause: 'no route' });
  const error = mediaError('cannot join the room', new TypeError('fetch failed', { cause }));
  expect(error).toBeInstanceOf(AppError);
  expect([error.code, error.message]).toEqual([
    'media_unavailable',
    'cannot join the room: fetch failed: connect ECONNREFUSED: no route',
  ]);
});

test('no token is left in the error, wherever the SDK put it', () => {
  const request = { headers: { authorization: `Bearer ${TOKEN}` } };
  const cause = Object.assign(new Error(`GET /rtc?access_token=${TOKEN}`), { request });
  const error = mediaError('cannot join the room', new Error(`401 for ${TOKEN}`, { cause }));
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(TOKEN.slice(5));
  expect(error.cause).toBeUndefined();
});

test.each<[unknown, string]>([
  ['refused', 'cannot send: refused'],
  [undefined, 'cannot send: undefined'],
  [new RangeError(''), 'cannot send: RangeError'],
  [new Error('first', { cause: new Error('') }), 'cannot send: first: Error'],
])('the message contains the reason of %o', (reason, message) => {
  expect(mediaError('cannot send', reason).message).toBe(message);
});

test('causes in a circle appear once each', () => {
  const first = new Error('first');
  first.cause = new Error('second', { cause: first });
  expect(mediaError('cannot send', first).message).toBe('cannot send: first: second');
});

test.each<[unknown, boolean]>([
  [mediaError('cannot join', new Error('status 401: invalid token')), true],
  [new Error('http status 401 Unauthorized: invalid API key'), true],
  [new Error('401 no permissions: Token expired'), true],
  [new Error('status 403: token'), false],
  [new Error('status 4010: token'), false],
  [new Error('status 401'), false],
  [new Error('token of room 7 has no 401'), false],
  ['401 token', false],
  [undefined, false],
])('a refused token differs from other failures: %s', (error, expected) => {
  expect(isRefusedToken(error)).toBe(expected);
});
