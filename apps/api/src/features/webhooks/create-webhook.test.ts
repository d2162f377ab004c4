import { expect } from 'vitest';
import { webhookTest as test } from '../../../testing/webhook-test.ts';

test('201 with the secret, which no cache keeps', async ({ api, ana, projectId }) => {
  const answer = await api.inject(ana, {
    method: 'POST',
    url: `/projects/${projectId}/webhooks`,
    payload: { url: 'https://example.org/in', content: 'none' },
  });
  expect(answer.statusCode).toBe(201);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.json()).toMatchObject({
    content: 'none',
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/=]{40,}$/),
  });
});

test.for([
  'https://169.254.169.254/',
  'https://10.0.0.1/',
  'http://8.8.8.8/',
  'https://user:word@example.org/',
  'https://example.org/#here',
])('400 for %s, which no message is sent to', async (url, { api, ana, projectId }) => {
  const answer = await api.inject(ana, {
    method: 'POST',
    url: `/projects/${projectId}/webhooks`,
    payload: { url },
  });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_webhook_url']);
});

test('409 from the limit of a project on, however many are created at once', async ({
  api,
  ana,
  projectId,
}) => {
  const create = async () =>
    await api.inject(ana, {
      method: 'POST',
      url: `/projects/${projectId}/webhooks`,
      payload: { url: 'https://example.org/in' },
    });
  for (let count = 0; count < 18; count += 1) expect((await create()).statusCode).toBe(201);
  const answers = await Promise.all(Array.from({ length: 5 }, create));
  const codes = answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b);
  expect(codes).toEqual([201, 201, 409, 409, 409]);
  const refused = answers.filter((answer) => answer.statusCode === 409);
  expect(new Set(refused.map((answer) => answer.json().code))).toEqual(
    new Set(['webhook_capacity']),
  );
});
