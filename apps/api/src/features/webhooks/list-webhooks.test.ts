import { expect } from 'vitest';
import { createWebhook, webhookTest as test } from '../../../testing/webhook-test.ts';

test('200 with the webhooks of the project alone, and without any secret', async ({
  api,
  ana,
  projectId,
}) => {
  const other = await api.createProject(ana);
  await createWebhook(api, ana, other, { url: 'https://example.org/other' });
  const made = [];
  for (const url of ['https://example.org/a', 'https://example.org/b']) {
    made.push(await createWebhook(api, ana, projectId, { url }));
  }
  const answer = await api.inject(ana, { url: `/projects/${projectId}/webhooks` });
  expect(answer.statusCode).toBe(200);
  const ids = answer.json().items.map(({ id }: { id: string }) => id);
  expect(new Set(ids)).toEqual(new Set(made.map(({ id }) => id)));
  expect(answer.body).not.toContain('whsec_');
});
