import { expect, test } from 'vitest';
import { ApiServerError, hasStatus } from './api-error.ts';

const BEGINNING = 'The Kubernetes API responds';

test.each<[number, string, string, string]>([
  [409, '{"reason":"AlreadyExists","message":"a is there"}', 'AlreadyExists', 'a is there'],
  [401, '', '', ''],
  [502, '<html>bad gateway</html>', '', '<html>bad gateway</html>'],
  [403, '{"message":"no"}', '', 'no'],
  [403, '{"reason":"Forbidden"}', 'Forbidden', ''],
  [500, 'null', '', ''],
  [500, '[]', '', ''],
  [500, '"text"', '', ''],
  [500, '{"reason":7,"message":{}}', '', ''],
  [500, 'x'.repeat(300), '', 'x'.repeat(200)],
])(
  'the error of a response with %i and “%s” has its reason and message',
  (status, body, reason, message) => {
    const error = ApiServerError.of(status, body);
    expect([error.status, error.reason, error.name]).toEqual([status, reason, 'ApiServerError']);
    expect(error.message).toBe(
      `${BEGINNING} ${[status, reason].filter(Boolean).join(' ')}: ${message}`,
    );
  },
);

test('only an ApiServerError has a status', () => {
  const error = ApiServerError.of(404, '');
  const others = [404, '404', { status: 404 }, Object.assign(new Error('x'), { status: 404 })];
  expect(hasStatus(error, 404)).toBe(true);
  expect(hasStatus(error, 410)).toBe(false);
  expect(others.filter((other) => hasStatus(other, 404))).toEqual([]);
});
