import * as db from '@session/db';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { erase } from '../../../testing/erasure-test.ts';
import { spoken } from '../../../testing/history.ts';
import type { WebhookReceiver } from '../../../testing/webhook-receiver.ts';
import {
  createWebhook,
  findWebhook,
  listDeliveries,
  startWork,
  webhookTest as test,
} from '../../../testing/webhook-test.ts';
import { carryOutErasures } from '../../background/erasures/carry-out-erasures.ts';

interface Scene {
  readonly api: TestApi;
  readonly ana: TestUser;
  readonly projectId: string;
  readonly sessionId: string;
  readonly receiver: WebhookReceiver;
}

/** Sends a message to a new webhook. From then on, only redeliveries are sent. */
async function deliverOne({ api, ana, projectId, sessionId, receiver }: Scene) {
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const row = spoken(sessionId, { content: 'hello' });
  await using running = startWork(api);
  await running.store(row);
  await expect.poll(() => findWebhook(api, ana, id)).toMatchObject({ behind: { sessions: 0 } });
  await expect.poll(() => listDeliveries(api, ana, id)).toHaveLength(1);
  const [delivery] = await listDeliveries(api, ana, id);
  const redeliver = async (deliveryId = delivery.id, webhookId = id) => {
    const url = `/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`;
    return await api.inject(ana, { method: 'POST', url });
  };
  return { id, row, delivery, redeliver };
}

test('200 with the answer to a delivery that is sent again as it was; 409 once its session is deleted, 404 for another', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const scene = { api, ana, projectId, sessionId, receiver };
  const { id, row, delivery, redeliver } = await deliverOne(scene);
  receiver.answer = (response) => response.writeHead(500).end('broken');
  const answer = await redeliver();
  const failed = { statusCode: 500, failure: 'HTTP 500', response: 'broken' };
  expect([answer.statusCode, answer.json()]).toMatchObject([200, failed]);
  const [first, again] = receiver.received;
  expect(receiver.received).toHaveLength(2);
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(again?.payload.data).toMatchObject({
    position: delivery.position,
    message: { id: row.id, content: 'hello' },
  });
  expect(await listDeliveries(api, ana, id)).toMatchObject([{ ...failed, attempts: 2 }]);
  // The failed delivery holds up nothing.
  expect(await findWebhook(api, ana, id)).toMatchObject({ status: 'active' });

  // Somebody deletes the session meanwhile. The answer is not stored, because it may repeat words of the session.
  receiver.answer = async (response) => {
    await db.markSessionDeleted(api.deps.database, sessionId, ana.id);
    response.writeHead(500).end('hello');
  };
  expect((await redeliver()).json()).toMatchObject({ response: 'hello' });
  expect(await listDeliveries(api, ana, id)).toMatchObject([{ response: '', attempts: 3 }]);

  const outdated = await redeliver();
  expect([outdated.statusCode, outdated.json().code]).toEqual([409, 'delivery_outdated']);
  expect((await redeliver(row.id)).statusCode).toBe(404);
  const other = await createWebhook(api, ana, projectId, { url: receiver.url });
  expect((await redeliver(delivery.id, other.id)).statusCode).toBe(404);
  expect(receiver.received).toHaveLength(3);
});

test('404 once the message of the delivery is erased, even while it is sent again', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const { id, row, redeliver } = await deliverOne({ api, ana, projectId, sessionId, receiver });
  receiver.answer = async (response) => {
    await erase(api, ana, projectId, { sessionId, messageIds: [row.id] });
    await carryOutErasures(api.deps);
    response.writeHead(500).end('hello');
  };
  expect((await redeliver()).json()).toMatchObject({ response: 'hello' });
  expect(await listDeliveries(api, ana, id)).toEqual([]);
  const gone = await redeliver();
  expect([gone.statusCode, gone.json().code]).toEqual([404, 'not_found']);
  expect(receiver.received).toHaveLength(2);
});
