import { expect } from 'vitest';
import { createWebhook, webhookTest as test } from '../../../testing/webhook-test.ts';

test('200: what is named changes, the rest stays; a refused URL changes nothing', async ({
  api,
  ana,
  projectId,
}) => {
  const { id } = await createWebhook(api, ana, projectId, {
    url: 'https://example.org/in',
    description: 'The first one',
  });
  const change = async (payload: object) =>
    await api.inject(ana, { method: 'PATCH', url: `/webhooks/${id}`, payload });
  const changed = await change({ status: 'disabled', events: ['recording.gap'] });
  expect(changed.statusCode).toBe(200);
  const refused = await change({ url: 'https://127.0.0.2.nip/#x', description: 'Lost' });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_webhook_url']);
  expect((await api.inject(ana, { url: `/webhooks/${id}` })).json()).toMatchObject({
    url: 'https://example.org/in',
    description: 'The first one',
    status: 'disabled',
    events: ['recording.gap'],
  });
});
