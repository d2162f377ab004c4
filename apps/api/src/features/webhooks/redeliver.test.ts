import { expect } from 'vitest';
import { spoken } from '../../../testing/history.ts';
import {
  createWebhook,
  findWebhook,
  listDeliveries,
  startWork,
  webhookTest as test,
} from '../../../testing/webhook-test.ts';

test('200 with the answer to a delivery that is sent again as it was; 409 once its message is erased, 404 for another', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  await using running = startWork(api);
  const row = spoken(sessionId, { content: 'hello' });
  await running.store(row);
  await expect.poll(() => findWebhook(api, ana, id)).toMatchObject({ behind: { sessions: 0 } });
  await expect.poll(() => listDeliveries(api, ana, id)).toHaveLength(1);
  const [delivery] = await listDeliveries(api, ana, id);
  const redeliver = async (deliveryId: string, webhookId = id) => {
    const url = `/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`;
    return await api.inject(ana, { method: 'POST', url });
  };
  receiver.answer = (response) => response.writeHead(500).end('broken');
  const answer = await redeliver(delivery.id);
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
  // It has failed, and holds up nothing.
  expect(await findWebhook(api, ana, id)).toMatchObject({ status: 'active' });

  // Somebody erases it while it is sent: what the receiver answers may repeat it.
  const eraseIt = async () =>
    await api.deps.database.sql`
      update messages set erased_at = now(), content = '', completed_at = now() where id = ${row.id}`;
  receiver.answer = async (response) => {
    await eraseIt();
    response.writeHead(500).end('hello');
  };
  expect((await redeliver(delivery.id)).json()).toMatchObject({ response: 'hello' });
  expect(await listDeliveries(api, ana, id)).toMatchObject([{ response: '', attempts: 3 }]);

  const outdated = await redeliver(delivery.id);
  expect([outdated.statusCode, outdated.json().code]).toEqual([409, 'delivery_outdated']);
  expect((await redeliver(row.id)).statusCode).toBe(404);
  const other = await createWebhook(api, ana, projectId, { url: receiver.url });
  expect((await redeliver(delivery.id, other.id)).statusCode).toBe(404);
  expect(receiver.received).toHaveLength(3);
});
