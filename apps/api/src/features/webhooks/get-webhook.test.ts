import { expect } from 'vitest';
import { createWebhook, webhookTest as test } from '../../../testing/webhook-test.ts';

test('200 with the settings and how far it is behind, but without the secret; 404 for a stranger', async ({
  api,
  ana,
  projectId,
}) => {
  const { id, secret } = await createWebhook(api, ana, projectId, {
    url: 'https://example.org/in',
  });
  const answer = await api.inject(ana, { url: `/webhooks/${id}` });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    id,
    projectId,
    url: 'https://example.org/in',
    status: 'active',
    behind: { sessions: 0, since: null },
  });
  expect(answer.body).not.toContain(secret);
  const ben = await api.createUser('ben');
  expect((await api.inject(ben, { url: `/webhooks/${id}` })).statusCode).toBe(404);
});
