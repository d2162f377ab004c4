import { expect } from 'vitest';
import { spoken } from '../../../testing/history.ts';
import {
  append,
  createWebhook,
  idsOf,
  startWork,
  webhookTest as test,
} from '../../../testing/webhook-test.ts';

test('202 with the number of sessions, whose messages are sent again under their ids', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const events = ['message.stored'];
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url, events });
  await using running = startWork(api);
  const rows = [spoken(sessionId), spoken(sessionId)];
  await append(api, rows);
  running.stored(sessionId);
  await expect.poll(() => receiver.received.length).toBe(2);
  await expect
    .poll(async () => (await api.inject(ana, { url: `/webhooks/${id}` })).json().behind.sessions)
    .toBe(0);
  const answer = await api.inject(ana, {
    method: 'POST',
    url: `/webhooks/${id}/replay`,
    payload: { since: '2020-01-01T00:00:00Z' },
  });
  expect([answer.statusCode, answer.json()]).toEqual([202, { sessions: 1 }]);
  await expect.poll(() => receiver.received.length).toBe(4);
  const sent = rows.map((row) => row.id);
  expect(idsOf(receiver)).toEqual([...sent, ...sent]);
  const [one, two, again] = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(one).not.toBe(two);
  expect(again).toBe(one);
});
