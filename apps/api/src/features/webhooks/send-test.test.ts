import { expect } from 'vitest';
import { createWebhook, webhookTest as test } from '../../../testing/webhook-test.ts';

test('200 with what the receiver answered, good or bad, over a real connection', async ({
  api,
  ana,
  projectId,
  receiver,
}) => {
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const send = async () => {
    const headers = { authorization: `Bearer ${ana.token}` };
    const answer = await fetch(`${address}/webhooks/${id}/test`, { method: 'POST', headers });
    expect(answer.status).toBe(200);
    return await answer.json();
  };
  expect(await send()).toMatchObject({ statusCode: 204, failure: null });
  receiver.answer = (response) => response.writeHead(500).end('broken');
  expect(await send()).toMatchObject({
    statusCode: 500,
    failure: 'HTTP 500',
    response: 'broken',
  });
  expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual([
    'webhook.test',
    'webhook.test',
  ]);
});
