import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { spoken } from '../../../testing/history.ts';
import { type ReceiverAnswer, startReceiver } from '../../../testing/webhook-receiver.ts';
import {
  countGivenUp,
  createWebhook,
  findWebhook,
  idsOf,
  startWork,
  webhookTest as test,
  WEBHOOK_TEST_TIMING,
} from '../../../testing/webhook-test.ts';
import { carryOutErasures } from '../erasures/carry-out-erasures.ts';

/** Takes every request, the first one only after `change`. */
function changesMeanwhile(change: () => Promise<unknown>): ReceiverAnswer {
  let isChanged = false;
  return async (response) => {
    if (!isChanged) await change();
    isChanged = true;
    response.writeHead(204).end();
  };
}

test.for(['deleted webhook', 'disabled webhook', 'deleted session'] as const)(
  'while it is sent no more messages of a session are sent: %s',
  async (what, { api, ana, projectId, sessionId, receiver }) => {
    const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
    const url = what === 'deleted session' ? `/sessions/${sessionId}` : `/webhooks/${id}`;
    const change =
      what === 'disabled webhook'
        ? ({ method: 'PATCH', url, payload: { status: 'disabled' } } as const)
        : ({ method: 'DELETE', url } as const);
    const statuses: number[] = [];
    receiver.answer = changesMeanwhile(async () =>
      statuses.push((await api.inject(ana, change)).statusCode),
    );
    await using running = startWork(api);
    await running.store(spoken(sessionId), spoken(sessionId), spoken(sessionId));
    await expect.poll(() => statuses).toEqual([what === 'disabled webhook' ? 200 : 204]);
    const { sql } = api.deps.database;
    const held = async () =>
      await sql`select from follower_positions where follower_id = ${id} and next_attempt_at > now()`;
    await expect.poll(async () => (await held()).length).toBe(0);
    const last = what === 'deleted session' ? ['session.deleted'] : [];
    const types = () => receiver.received.map(({ payload }) => payload.type);
    await expect.poll(types).toEqual(['message.stored', ...last]);
    expect(types()).toHaveLength(1 + last.length);
  },
);

test('while it is sent the rest of a session follows new settings: URL, content and secret', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  await using other = await startReceiver();
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const url = `/webhooks/${id}`;
  receiver.answer = changesMeanwhile(async () => {
    const payload = { url: other.url, content: 'none' };
    await api.inject(ana, { method: 'PATCH', url, payload });
    await api.inject(ana, { method: 'POST', url: `${url}/rotate-secret`, payload: {} });
  });
  await using running = startWork(api);
  const rows = [spoken(sessionId), spoken(sessionId), spoken(sessionId)];
  await running.store(...rows);
  await expect.poll(() => idsOf(other)).toEqual(rows.slice(1).map((row) => row.id));
  expect(receiver.received).toHaveLength(1);
  for (const { headers, payload } of other.received) {
    expect(payload.data.message).not.toHaveProperty('content');
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  }
});

test('while it is sent, what is erased does not leave any more: the rest of a session is read again', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const erased = uuidv7();
  receiver.answer = changesMeanwhile(async () => {
    const url = `/projects/${projectId}/erasures`;
    const payload = { sessionId, messageIds: [erased] };
    await api.inject(ana, { method: 'POST', url, payload });
    await carryOutErasures(api.deps);
  });
  await createWebhook(api, ana, projectId, { url: receiver.url });
  await using running = startWork(api);
  await running.store(
    spoken(sessionId, { content: 'one' }),
    spoken(sessionId, { id: erased, content: 'two' }),
    spoken(sessionId, { content: 'three' }),
  );
  const sent = () => {
    running.stored(sessionId);
    return receiver.received.map(({ payload }) => payload.data.message?.content);
  };
  await expect.poll(sent).toEqual(['one', 'three', '']);
});

test('what has been erased is sent without a claim for each message', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const { id: webhookId } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const rows = Array.from({ length: 5 }, () => spoken(sessionId));
  const { database } = api.deps;
  await db.appendMessages(database, rows);
  const url = `/projects/${projectId}/erasures`;
  const payload = { sessionId, messageIds: rows.map(({ id }) => id) };
  await api.inject(ana, { method: 'POST', url, payload });
  await carryOutErasures(api.deps);
  await using running = startWork(api);
  running.stored(sessionId);
  await expect.poll(() => idsOf(receiver)).toHaveLength(rows.length);
  const [position] = await database.sql<{ claim: string }[]>`
    select claim from follower_positions where follower_id = ${webhookId}`;
  expect(Number(position?.claim)).toBeLessThan(rows.length);
});

test('410 disables the webhook, unless it was changed meanwhile', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  let isGone = false;
  receiver.answer = async (response) => {
    const change = { method: 'PATCH', url: `/webhooks/${id}` } as const;
    // Changes only the URL. The first attempt was sent to the former URL.
    if (!isGone) await api.inject(ana, { ...change, payload: { url: `${receiver.url}/new` } });
    response.writeHead(410).end();
    isGone = true;
  };
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const givenUp = await countGivenUp(api, 'webhook');
  await using running = startWork(api);
  await running.store(spoken(sessionId));
  await expect.poll(() => findWebhook(api, ana, id)).toMatchObject({ status: 'disabled' });
  expect(receiver.received).toHaveLength(2);
  await expect.poll(() => countGivenUp(api, 'webhook')).toBe(givenUp + 1);
});

test('after a message was taken the next one that fails waits as a first failure', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const statuses = [500, 204, 500];
  receiver.answer = (response) => response.writeHead(statuses.shift() ?? 204).end();
  await createWebhook(api, ana, projectId, { url: receiver.url });
  await using running = startWork(api, { ...WEBHOOK_TEST_TIMING, waitsMs: [20, 3_600_000] });
  const [one, two] = [spoken(sessionId), spoken(sessionId)];
  await running.store(one, two);
  await expect.poll(() => idsOf(receiver)).toEqual([one.id, one.id, two.id, two.id]);
});
