import { agentIdentity } from '@session/contract/room';
import { calls, says, startScriptedModel } from '@session/conversation/testing';
import { appendMessages } from '@session/db';
import { createTestDatabase, holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { notifyStored, prepareAgent, recordRoom, sayIn } from '../../../testing/acting-agents.ts';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { spoken } from '../../../testing/history.ts';
import { spyLog } from '../../../testing/spy-log.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { ActingAgents } from './acting-agents.ts';

const END = calls(['end_conversation', { reason: 'booked' }]);

test('an agent says goodbye and ends the conversation: it is Stopped with that reason, and the session stays', async () => {
  await using agents = await openTestAgents();
  await using model = await startScriptedModel(END, says('Goodbye, Ann!'));
  const { sessionId, start } = await prepareAgent(agents, model.baseUrl, { endConversation: {} });
  await using room = await recordRoom(agents, sessionId);
  await agents.open();
  const id = await start();
  await agents.until(id, 'Running');
  await sayIn(agents, sessionId, 'That was all. Bye!');
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'conversation_ended',
    exitCode: 0,
    restarts: 0,
  });
  expect(room.texts).toEqual(['Goodbye, Ann!']);
  expect(await sessionOf(agents, sessionId)).toMatchObject({ status: 'ACTIVE', closeReason: null });
});

test('with closeSession the session is closed after the goodbye, by the agent', async () => {
  await using agents = await openTestAgents();
  await using model = await startScriptedModel(END, says('Goodbye, Ann!'));
  const { sessionId, start } = await prepareAgent(agents, model.baseUrl, {
    endConversation: { closeSession: true },
  });
  await using room = await recordRoom(agents, sessionId);
  await agents.open();
  const id = await start();
  await agents.until(id, 'Running');
  await sayIn(agents, sessionId, 'Bye!');
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'conversation_ended' });
  expect(await sessionOf(agents, sessionId)).toMatchObject({
    status: 'CLOSED',
    closeReason: 'agent',
  });
  expect(room.texts).toEqual(['Goodbye, Ann!']);
});

test('only a live agent whose template allows it is believed, also by a process that starts later', async () => {
  await using agents = await openTestAgents();
  const { sessionId, start } = await prepareAgent(agents, undefined, {
    endConversation: { closeSession: true },
  });
  const { sessionId: other, start: startOther } = await prepareAgent(agents, undefined, {
    endConversation: null,
  });
  const stopped = await start();
  const forbidden = await startOther();
  await using background = await agents.open();
  await agents.until(stopped, 'Running');
  await agents.stop(stopped);
  await agents.until(stopped, 'Stopped');
  await agents.until(forbidden, 'Running');
  await store(agents, sessionId, stopped);
  await store(agents, other, forbidden);
  const live = await start();
  await agents.until(live, 'Running');
  // A report in the name of an agent that does not exist, and the end of another agent.
  await store(agents, sessionId, uuidv7());
  await agents.stop(forbidden);
  await agents.until(forbidden, 'Stopped');
  for (const id of [sessionId, other]) {
    expect(await sessionOf(agents, id)).toMatchObject({ status: 'ACTIVE' });
  }
  await background[Symbol.asyncDispose]();
  // Its program ended with its process, and would be started again.
  await store(agents, sessionId, live);
  await agents.open();
  expect(await agents.until(live, 'Stopped')).toMatchObject({ reason: 'conversation_ended' });
  expect(await sessionOf(agents, sessionId)).toMatchObject({ closeReason: 'agent' });
});

test('an agent whose session is locked does not hold back the end of another, at once or later', async () => {
  await using own = await createTestDatabase();
  await using agents = await openTestAgents({ databaseUrl: own.url });
  const { database, config, rooms } = agents.api.deps;
  const prepare = async () => {
    const { sessionId, start } = await prepareAgent(agents, undefined, {
      endConversation: { closeSession: true },
    });
    return { sessionId, agentId: await start() };
  };
  const [locked, other, later] = [await prepare(), await prepare(), await prepare()];
  for (const { sessionId, agentId } of [locked, other]) await store(agents, sessionId, agentId);
  await using open = new AsyncDisposableStack();
  const locking = await holdLocks(
    own.url,
    (sql) => sql`select from session_heads where session_id = ${locked.sessionId} for update`,
  );
  open.use(locking);
  const log = spyLog();
  const shutdown = new ShutdownBudget(60_000);
  const acting = open.use(
    new ActingAgents({ database, config, rooms, isLeading: () => true, shutdown, log }),
  );
  const byAgent = { closeReason: 'agent' };
  await expect.poll(() => sessionOf(agents, other.sessionId)).toMatchObject(byAgent);
  await expect.poll(() => log.warn).toHaveBeenCalledOnce();
  await store(agents, later.sessionId, later.agentId);
  acting.stored(later.sessionId);
  // Earlier than the next look at all agents, which comes after 10 s.
  await expect
    .poll(() => sessionOf(agents, later.sessionId), { timeout: 5000 })
    .toMatchObject(byAgent);
  expect(await sessionOf(agents, locked.sessionId)).toMatchObject({ status: 'ACTIVE' });
});

test('an act that could not be read, because a connection was lost, is carried out soon', async () => {
  await using own = await createTestDatabase();
  await using agents = await openTestAgents({ databaseUrl: own.url });
  const { sessionId, start } = await prepareAgent(agents, undefined, {
    endConversation: { closeSession: true },
  });
  const agentId = await start();
  const { config, rooms } = agents.api.deps;
  let reads = 0;
  let isLost = false;
  const database = answeredDatabase(agents.api.deps.database, (name) => {
    if (name !== 'follow_agent_acts') return undefined;
    reads += 1;
    return isLost ? lose() : undefined;
  });
  const lose = async (): Promise<never> => {
    isLost = false;
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  };
  const shutdown = new ShutdownBudget(60_000);
  const log = spyLog();
  await using acting = new ActingAgents({
    database,
    config,
    rooms,
    shutdown,
    log,
    isLeading: () => true,
  });
  await expect.poll(() => reads).toBe(1);
  isLost = true;
  await store(agents, sessionId, agentId);
  acting.stored(sessionId);
  // Earlier than the next look at all agents, which comes after 10 s.
  await expect
    .poll(() => sessionOf(agents, sessionId), { timeout: 5000 })
    .toMatchObject({ closeReason: 'agent' });
  expect([reads > 2, isLost]).toEqual([true, false]);
});

/** Stores that an agent has ended the conversation. */
async function store({ api }: TestAgents, sessionId: string, agentId: string): Promise<void> {
  const identity = agentIdentity({ role: 'light-agent', agentId });
  const kind = 'conversation_ended';
  const participant = { identity, name: 'Light agent', kind: 'agent' };
  const metadata = { kind, participant, payload: { reason: 'booked' } };
  const row = spoken(sessionId, { role: 'system', kind, content: 'The end.', metadata });
  await appendMessages(api.deps.database, [row]);
  await notifyStored(api, sessionId);
}

async function sessionOf({ api, ana }: TestAgents, sessionId: string): Promise<object> {
  return (await api.inject(ana, { url: `/sessions/${sessionId}` })).json();
}
