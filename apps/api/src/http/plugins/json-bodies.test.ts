import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('an empty body counts as no body, whatever its content type; 400 where a body is required', async ({
  api,
  ana,
}) => {
  const headers = { 'content-type': 'application/json' };
  const id = await api.createSession(ana);
  const closed = await api.inject(ana, { method: 'POST', url: `/sessions/${id}/close`, headers });
  expect([closed.statusCode, closed.json().status]).toEqual([200, 'CLOSED']);
  const refused = await api.inject(ana, { method: 'POST', url: '/projects', headers });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
});

test('415 for a body that is not JSON', async ({ api, ana }) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { 'content-type': type };
    const payload = '{"name":"first"}';
    const refused = await api.inject(ana, { method: 'POST', url: '/projects', headers, payload });
    expect([refused.statusCode, refused.json().code]).toEqual([415, 'unsupported_media_type']);
  }
});
