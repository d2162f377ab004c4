import { expect } from 'vitest';
import { createWebhook, webhookTest as test } from '../../../testing/webhook-test.ts';

test('204, and then it is not found, not listed and not deleted again', async ({
  api,
  ana,
  projectId,
}) => {
  const { id } = await createWebhook(api, ana, projectId, { url: 'https://example.org/in' });
  const remove = async () => await api.inject(ana, { method: 'DELETE', url: `/webhooks/${id}` });
  expect((await remove()).statusCode).toBe(204);
  expect((await remove()).statusCode).toBe(404);
  expect((await api.inject(ana, { url: `/webhooks/${id}` })).statusCode).toBe(404);
  const list = await api.inject(ana, { url: `/projects/${projectId}/webhooks` });
  expect(list.json().items).toEqual([]);
});
