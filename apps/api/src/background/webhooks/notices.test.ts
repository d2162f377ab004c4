import * as db from '@session/db';
import { expect } from 'vitest';
import { spoken } from '../../../testing/history.ts';
import { isSignedBy, startReceiver } from '../../../testing/webhook-receiver.ts';
import {
  createWebhook,
  findWebhook,
  listDeliveries,
  startWork,
  webhookTest as test,
  WEBHOOK_TEST_TIMING,
} from '../../../testing/webhook-test.ts';

test('a webhook is told of a restore, signed, and its deliveries show it without a session', async ({
  api,
  ana,
  projectId,
  receiver,
}) => {
  const { id, secret } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const deaf = { url: receiver.url, events: ['message.stored'] };
  await createWebhook(api, ana, projectId, deaf);
  await db.closeRestoredHistory(api.deps.database);
  await using _ = startWork(api);
  await expect.poll(() => receiver.received.length).toBe(1);
  const [told] = receiver.received;
  if (!told) throw new Error('it has come');
  expect(isSignedBy(secret, told)).toBe(true);
  const payload = JSON.parse(told.body);
  expect(payload).toEqual({
    type: 'store.restored',
    timestamp: expect.any(String),
    data: { projectId, restoredTo: null, floorAt: expect.any(String) },
  });
  expect(Date.parse(payload.timestamp)).toBe(Date.parse(payload.data.floorAt) + 1);
  await expect
    .poll(() => listDeliveries(api, ana, id))
    .toMatchObject([
      { type: 'store.restored', sessionId: null, position: payload.timestamp, statusCode: 204 },
    ]);
});

test('when a session is given up, the other webhook is told and the audit trail names it; both dead, nothing goes round', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  await using other = await startReceiver();
  receiver.answer = (response) => response.writeHead(400).end('no');
  // The other receiver takes messages, and refuses notices of dead webhooks.
  other.answer = (response, { body }) =>
    response.writeHead(body.includes('"webhook.dead"') ? 400 : 204).end();
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const { id: otherId } = await createWebhook(api, ana, projectId, { url: other.url });
  await using running = startWork(api, { ...WEBHOOK_TEST_TIMING, horizonMs: 0 });
  await running.store(spoken(sessionId));
  await expect.poll(() => findWebhook(api, ana, otherId)).toMatchObject({ status: 'dead' });
  const notices = other.received.filter(({ body }) => body.includes('"webhook.dead"'));
  expect(new Set(notices.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(JSON.parse(notices[0]?.body ?? '')).toEqual({
    type: 'webhook.dead',
    timestamp: expect.any(String),
    data: {
      projectId,
      webhookId: id,
      host: new URL(receiver.url).host,
      sessionId,
      failure: 'HTTP 400',
    },
  });
  expect(receiver.received.filter(({ body }) => body.includes('webhook.dead'))).toEqual([]);
  const audit = await api.inject(ana, { url: `/projects/${projectId}/audit?action=webhook.dead` });
  expect(audit.json().items).toMatchObject([{ actor: null, target: id, detail: { sessionId } }]);
});
