import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { spoken } from '../../../testing/history.ts';
import {
  append,
  createWebhook,
  startWork,
  webhookTest as test,
} from '../../../testing/webhook-test.ts';
import { deleteRows } from '../housekeeping/deleted-rows.ts';

/** Returns how many sessions webhooks have yet to follow to their ends. */
async function countPositions({ sql }: db.DatabaseAccess): Promise<number> {
  const rows = await sql`
    select from follower_positions position join webhooks webhook on webhook.id = position.follower_id`;
  return rows.length;
}

test('a webhook gets the events of a session among its messages, in order, each behind the one before', async ({
  api,
  ana,
  projectId,
  receiver,
}) => {
  await createWebhook(api, ana, projectId, { url: receiver.url, content: 'none' });
  const sessionId = await api.createSession(ana, projectId);
  const { database } = api.deps;
  const id = uuidv7();
  const agent = {
    id,
    sessionId,
    role: 'echo-agent',
    planId: null,
    envTemplateId: null,
    config: {},
  };
  await db.insertAgent(database, { ...agent, createdBy: ana.id });
  const state = { reason: null, detail: null, exitCode: null };
  await db.updateAgentState(database, id, { ...state, status: 'Running' });
  await append(api, [spoken(sessionId)]);
  await db.updateAgentState(database, id, { ...state, status: 'Stopped', exitCode: 0 });
  const closed = await api.inject(ana, { method: 'POST', url: `/sessions/${sessionId}/close` });
  expect(closed.statusCode).toBe(200);
  await append(api, [spoken(sessionId)]);
  await using running = startWork(api);
  running.stored(sessionId);
  const types = () => receiver.received.map(({ payload }) => payload.type);
  await expect
    .poll(types)
    .toEqual([
      'session.created',
      'agent.running',
      'message.stored',
      'agent.stopped',
      'session.closed',
      'message.stored',
    ]);
  await api.inject(ana, { method: 'DELETE', url: `/sessions/${sessionId}` });
  await expect.poll(() => types().at(-1)).toBe('session.deleted');
  const data = receiver.received.map(({ payload }) => payload.data);
  const positions = data.map(({ position }) => position);
  expect(positions).toEqual([...new Set(positions)].toSorted());
  expect(data.slice(1).map(({ after }) => after)).toEqual(positions.slice(0, -1));
  const { closedAt } = closed.json();
  expect(data[4]?.event).toEqual({
    type: 'session.closed',
    sessionId,
    timestamp: closedAt,
    data: { reason: 'user' },
  });
  expect(data[3]?.event?.data).toEqual({
    agentId: id,
    role: 'echo-agent',
    reason: null,
    exitCode: 0,
  });
  await expect.poll(async () => await countPositions(database)).toBe(0);
});

test('a receiver that was down while a session was deleted, with all its rows, gets the deletion alone', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  let isDown = true;
  receiver.answer = (response) => response.writeHead(isDown ? 503 : 204).end();
  await createWebhook(api, ana, projectId, { url: receiver.url });
  await using running = startWork(api);
  await append(api, [spoken(sessionId), spoken(sessionId)]);
  running.stored(sessionId);
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  await api.inject(ana, { method: 'DELETE', url: `/sessions/${sessionId}` });
  await expect.poll(async () => await deleteRows(api.deps)).toContain(sessionId);
  const count = receiver.received.length;
  isDown = false;
  const taken = () => receiver.received.slice(count).map(({ payload }) => payload.type);
  await expect.poll(taken).toContain('session.deleted');
  await expect.poll(async () => await countPositions(api.deps.database)).toBe(0);
  expect(taken().at(-1)).toBe('session.deleted');
  expect(taken().filter((type) => type === 'session.deleted')).toHaveLength(1);
});

test('a replay sends the deletion of a session again under its id, even after all its rows are gone', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const events = ['session.deleted'];
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url, events });
  await using _ = startWork(api);
  await api.inject(ana, { method: 'DELETE', url: `/sessions/${sessionId}` });
  await expect.poll(async () => await deleteRows(api.deps)).toContain(sessionId);
  await expect.poll(() => receiver.received.length).toBe(1);
  await expect.poll(async () => await countPositions(api.deps.database)).toBe(0);
  const answer = await api.inject(ana, {
    method: 'POST',
    url: `/webhooks/${id}/replay`,
    payload: { since: '2020-01-01T00:00:00Z' },
  });
  expect([answer.statusCode, answer.json()]).toEqual([202, { sessions: 1 }]);
  // A receiver that answers too late gets a delivery more often.
  await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(2);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);
  await expect.poll(async () => await countPositions(api.deps.database)).toBe(0);
});
