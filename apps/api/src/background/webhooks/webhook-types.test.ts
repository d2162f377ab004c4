import { expect } from 'vitest';
import { spoken } from '../../../testing/history.ts';
import {
  append,
  createWebhook,
  startWork,
  webhookTest as test,
} from '../../../testing/webhook-test.ts';

test('a webhook from the beginning gets only the types it asks for, each with the position before it, and no content with `none`', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const kind = 'recording_gap';
  const gap = { kind, role: 'system', metadata: { kind, participant: null } } as const;
  for (const fields of [{ status: 'pending' } as const, {}, gap]) {
    await append(api, [spoken(sessionId, fields)]);
  }
  const events = ['message.pending', 'recording.gap'];
  const settings = { url: receiver.url, content: 'none', from: 'beginning', events };
  await createWebhook(api, ana, projectId, settings);
  await using running = startWork(api);
  running.stored(sessionId);
  await expect.poll(() => receiver.received.map(({ payload }) => payload.type)).toEqual(events);
  const [first, second] = receiver.received.map(({ payload }) => payload.data);
  expect([first?.after, second?.after]).toEqual(['1970-01-01T00:00:00.000Z', first?.position]);
  const names = Object.keys(first?.message ?? {}).toSorted();
  expect(names).toEqual(['createdAt', 'id', 'role', 'sessionId', 'status', 'timestamp']);
});

test('each event has the session’s own data as they are at the attempt, with `none` the external id alone', async ({
  api,
  ana,
  projectId,
  receiver,
}) => {
  const sessions = `/projects/${projectId}/sessions`;
  const metadata = { customer: 'c-1' };
  const payload = { name: 'Hello', externalId: 'order-1', metadata };
  const created = await api.inject(ana, { method: 'POST', url: sessions, payload });
  const sessionId: string = created.json().id;
  const url = `/sessions/${sessionId}`;
  const settings = { url: receiver.url, from: 'beginning' };
  await createWebhook(api, ana, projectId, { ...settings, content: 'none' });
  await createWebhook(api, ana, projectId, settings);
  let isDown = true;
  receiver.answer = (response) => response.writeHead(isDown ? 503 : 204).end();
  const told = () => {
    const datas = receiver.received.map(({ payload: { type, data } }) => ({ type, ...data }));
    const texts = datas.map(({ type, session }) => `${type} ${JSON.stringify(session)}`);
    return [...new Set(texts)].toSorted();
  };
  await using running = startWork(api);
  running.stored(sessionId);
  const first = [
    'session.created {"externalId":"order-1","metadata":{"customer":"c-1"}}',
    'session.created {"externalId":"order-1"}',
  ];
  await expect.poll(told).toEqual(first);
  const change = { externalId: 'order-2', metadata: { customer: 'c-2' } };
  await api.inject(ana, { method: 'PATCH', url, payload: change });
  const changed = [
    'session.created {"externalId":"order-2","metadata":{"customer":"c-2"}}',
    'session.created {"externalId":"order-2"}',
  ];
  // An attempt that began before the change must not be the last.
  await expect.poll(told).toEqual([...first, ...changed].toSorted());
  isDown = false;
  await append(api, [spoken(sessionId)]);
  running.stored(sessionId);
  const stored = [
    'message.stored {"externalId":"order-2","metadata":{"customer":"c-2"}}',
    'message.stored {"externalId":"order-2"}',
  ];
  await expect.poll(told).toEqual([...stored, ...first, ...changed].toSorted());
  await api.inject(ana, { method: 'DELETE', url });
  await expect.poll(told).toContain('session.deleted {"externalId":"order-2"}');
  expect(told().filter((text) => text.startsWith('session.deleted'))).toHaveLength(1);
});

test('a request for a person has a type of its own; what becomes of it, and a handover to an agent, is a message', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const kind = 'handover';
  const participant = {
    identity: 'agent-light-agent-185-739e',
    name: 'Light agent',
    kind: 'agent',
  };
  const handover = (state: string, sender: object | null, part = {}) =>
    spoken(sessionId, {
      kind,
      role: 'system',
      metadata: { kind, participant: sender, payload: { state, ...part } },
    });
  await createWebhook(api, ana, projectId, { url: receiver.url, from: 'beginning' });
  await append(api, [
    handover('requested', participant),
    handover('taken', participant),
    handover('requested', null),
    handover('requested', participant, { to: { agentTemplateId: 'a', name: 'Sales' } }),
  ]);
  await using running = startWork(api);
  running.stored(sessionId);
  await expect
    .poll(() => receiver.received.map(({ payload }) => payload.type).toSorted())
    .toEqual(['handover.requested', ...Array(3).fill('message.stored'), 'session.created']);
  const requested = receiver.received.find(({ payload }) => payload.type.startsWith('handover'));
  expect(requested?.payload.data.message).toMatchObject({
    metadata: { payload: { state: 'requested' } },
  });
});

test('what an agent reports of its plan has types of its own, and what a person sends so is a message', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const agent = { identity: 'agent-light-agent-185-739e', name: 'Light agent', kind: 'agent' };
  const person = { identity: 'user-1', name: 'Ada', kind: 'standard' };
  const report = (kind: string, payload: object, participant = agent) =>
    spoken(sessionId, { kind, role: 'system', metadata: { kind, participant, payload } });
  const state = (of: string, sender = agent) =>
    report('state_change_notification', { state: of }, sender);
  const settings = { url: receiver.url, from: 'beginning' };
  await createWebhook(api, ana, projectId, settings);
  await createWebhook(api, ana, projectId, { ...settings, events: ['plan.completed'] });
  await append(api, [state('ready')]);
  await append(api, [state('step_started')]);
  await append(api, [report('plan_deliverable_update', {})]);
  await append(api, [report('complete_todo_list', {})]);
  await append(api, [state('step_reopened')]);
  await append(api, [state('plan_completed', person)]);
  await append(api, [state('plan_completed')]);
  await using running = startWork(api);
  running.stored(sessionId);
  const types = () => receiver.received.map(({ payload }) => payload.type).toSorted();
  await expect
    .poll(types)
    .toEqual(
      [
        'session.created',
        'message.stored',
        'plan.step',
        'plan.deliverable',
        'plan.updated',
        'plan.step',
        'message.stored',
        'plan.completed',
        'plan.completed',
      ].toSorted(),
    );
});

test('`Retry-After` decides when the next attempt is', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': '3000' }).end();
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  await using running = startWork(api);
  await running.store(spoken(sessionId));
  const { sql } = api.deps.database;
  const minutes = async () => {
    const [row] = await sql`
      select round(extract(epoch from next_attempt_at - now()) / 60)::int as minutes
      from follower_positions where follower_id = ${id} and failure is not null`;
    return row?.['minutes'];
  };
  await expect.poll(minutes).toBe(50);
});
