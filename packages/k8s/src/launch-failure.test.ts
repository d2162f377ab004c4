import { expect, test } from 'vitest';
import { ApiServerError } from './api-error.ts';
import { launchFailure } from './launch-failure.ts';

const RIGHTS = 'pods is forbidden: User "api" cannot create resource "pods" in API group ""';
const QUOTA = 'pods "a" is forbidden: exceeded quota: one, requested: pods=1, limited: pods=1';

test.each<[string, number, string, object]>([
  ['an exhausted quota', 403, QUOTA, { name: 'LaunchDelayed', reason: 'no_capacity' }],
  ['missing rights', 403, RIGHTS, { name: 'LaunchDelayed', reason: 'bad_configuration' }],
  [
    'an admission rule',
    403,
    'maximum cpu usage per Container is 2',
    { name: 'LaunchRefused', reason: 'bad_configuration' },
  ],
  ['a faulty pod', 422, 'spec is invalid', { name: 'LaunchRefused', reason: 'bad_configuration' }],
  ['a missing namespace', 404, 'not found', { name: 'LaunchRefused' }],
  ['a faulty request', 400, 'bad', { name: 'LaunchRefused' }],
])(
  '%s fails a launch with the right reason, and Kubernetes’ message',
  (_, status, message, end) => {
    const failure = launchFailure(new ApiServerError(status, { message }));
    expect(failure).toMatchObject({ ...end, detail: expect.stringContaining(message) });
  },
);

test.each([401, 408, 409, 429, 500, 502, 503, 504])(
  'a response with %i is worth a retry, and no reason to stop',
  (status) => {
    const error = new ApiServerError(status, { message: 'later' });
    expect(launchFailure(error)).toBe(error);
  },
);

test.each([
  'pods "a" is forbidden: status unknown for quota: one, resources: pods',
  'pods "a" is forbidden: not yet ready to handle request',
])('a refusal of a cluster that is not ready yet is worth a retry: %s', (message) => {
  const error = new ApiServerError(403, { message });
  expect(launchFailure(error)).toBe(error);
});

test('an error without a response is worth a retry; other values become errors', () => {
  const error = new TypeError('fetch failed');
  expect(launchFailure(error)).toBe(error);
  expect(launchFailure('text')).toEqual(new Error('text'));
  expect(launchFailure(undefined)).toEqual(new Error('undefined'));
});
