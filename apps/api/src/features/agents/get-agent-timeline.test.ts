import { agentIdentity } from '@session/contract/room';
import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with each end and restart of an agent that came back, also of one that died before it was in its room', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const payload = { role: 'echo-agent', config: { restart: 'on-failure' } };
  const start = { method: 'POST', url: `/sessions/${sessionId}/agents`, payload } as const;
  const { id, config, restarts } = (await api.inject(ana, start)).json();
  expect([config, restarts]).toEqual([{ restart: 'on-failure' }, 0]);
  const { database } = api.deps;
  const running = { status: 'Running', reason: null, detail: null, exitCode: null } as const;
  await db.markAgentStarted(database, id, 0);
  await db.restartAgent(database, id, { reason: 'out_of_memory', delayMs: 500, restarts: 0 });
  await db.markAgentStarted(database, id, 1);
  await db.updateAgentState(database, id, running);
  await db.restartAgent(database, id, { reason: 'lost', delayMs: 2000, restarts: 1 });
  const found = (await api.inject(ana, { url: `/agents/${id}` })).json();
  expect(found).toMatchObject({ restarts: 2, status: 'Starting', stoppedAt: null });
  const { items } = (await api.inject(ana, { url: `/agents/${id}/timeline` })).json();
  const at = expect.any(String);
  expect(items).toEqual([
    { event: 'requested', at: found.createdAt, detail: 'echo-agent' },
    { event: 'admitted', at: found.startedAt, detail: null },
    { event: 'crashed', at, detail: 'out_of_memory' },
    { event: 'restarting', at, detail: null },
    { event: 'joined', at: found.runningAt, detail: null },
    { event: 'crashed', at, detail: 'lost' },
  ]);
});

test('200 with the steps so far, each at its time and none before its predecessor', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const payload = { role: 'echo-agent' };
  const start = { method: 'POST', url: `/sessions/${sessionId}/agents`, payload } as const;
  const agent = (await api.inject(ana, start)).json();
  const read = async () =>
    (await api.inject(ana, { url: `/agents/${agent.id}/timeline` })).json().items;
  expect(await read()).toEqual([{ event: 'requested', at: agent.createdAt, detail: 'echo-agent' }]);

  const { database } = api.deps;
  await db.markAgentStarted(database, agent.id);
  // A cluster reports whole seconds.
  const scheduledAt = `${agent.createdAt.slice(0, 19)}Z`;
  await db.noteStartTimes(database, agent.id, { scheduledAt, programStartedAt: null });
  const programStartedAt = new Date().toISOString();
  await db.noteStartTimes(database, agent.id, { scheduledAt: null, programStartedAt });
  const running = { status: 'Running', reason: null, detail: null, exitCode: null } as const;
  await db.updateAgentState(database, agent.id, running);
  const words = ['Someone else', 'You said: one', 'You said: two'].map((content, index) => ({
    content,
    identity: index === 0 ? 'agent-other' : agentIdentity({ role: agent.role, agentId: agent.id }),
  }));
  for (const { content, identity } of words) {
    await db.appendMessages(database, [
      {
        sessionId,
        id: uuidv7(),
        receivedAt: Date.now(),
        role: 'assistant',
        status: 'complete',
        kind: 'text',
        content,
        metadata: { kind: 'text', participant: { identity, name: 'agent', kind: 'agent' } },
      },
    ]);
  }
  const stopped = { ...running, status: 'Stopped', reason: 'completed', exitCode: 0 } as const;
  await db.updateAgentState(database, agent.id, stopped);

  const found = (await api.inject(ana, { url: `/agents/${agent.id}` })).json();
  const history = (await api.inject(ana, { url: `/sessions/${sessionId}/messages` })).json();
  const items = await read();
  expect(items).toEqual([
    { event: 'requested', at: found.createdAt, detail: 'echo-agent' },
    { event: 'admitted', at: found.startedAt, detail: null },
    { event: 'scheduled', at: found.startedAt, detail: null },
    { event: 'started', at: expect.any(String), detail: null },
    { event: 'joined', at: found.runningAt, detail: null },
    { event: 'first_words', at: history.items[1].timestamp, detail: null },
    { event: 'stopped', at: expect.any(String), detail: 'completed' },
  ]);
  const times = items.map(({ at }: { at: string }) => at);
  expect(times).toEqual(times.toSorted());
});
