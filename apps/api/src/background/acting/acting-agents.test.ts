import type { RoomEvent } from '@session/contract/room';
import { decode } from '@session/contract/room';
import { calls, says, startScriptedModel } from '@session/conversation/testing';
import { appendMessages, inTransaction } from '@session/db';
import { agentIdentity, joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';
import { spoken } from '../../../testing/history.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { ActingAgents } from './acting-agents.ts';

const END = calls(['end_conversation', { reason: 'booked' }]);

test('an agent says goodbye and ends the conversation: it is Stopped with that reason, and the session stays', async () => {
  await using agents = await openTestAgents();
  await using model = await startScriptedModel(END, says('Goodbye, Ann!'));
  const { sessionId, start } = await prepare(agents, model.baseUrl, {});
  const texts = await record(agents, sessionId);
  await agents.open();
  const id = await start();
  await agents.until(id, 'Running');
  await say(agents, sessionId, 'That was all. Bye!');
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'conversation_ended',
    exitCode: 0,
    restarts: 0,
  });
  expect(texts).toEqual(['Goodbye, Ann!']);
  expect(await sessionOf(agents, sessionId)).toMatchObject({ status: 'ACTIVE', closeReason: null });
});

test('with closeSession the session is closed after the goodbye, by the agent', async () => {
  await using agents = await openTestAgents();
  await using model = await startScriptedModel(END, says('Goodbye, Ann!'));
  const { sessionId, start } = await prepare(agents, model.baseUrl, { closeSession: true });
  const texts = await record(agents, sessionId);
  await agents.open();
  const id = await start();
  await agents.until(id, 'Running');
  await say(agents, sessionId, 'Bye!');
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'conversation_ended' });
  expect(await sessionOf(agents, sessionId)).toMatchObject({
    status: 'CLOSED',
    closeReason: 'agent',
  });
  expect(texts).toEqual(['Goodbye, Ann!']);
});

test('only a live agent whose template allows it is believed, also by a process that starts later', async () => {
  await using agents = await openTestAgents();
  const { sessionId, start } = await prepare(agents, undefined, { closeSession: true });
  const { sessionId: other, start: startOther } = await prepare(agents, undefined, null);
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
  // A stranger in the name of nobody, and another agent.
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

test('an agent whose session is locked does not hold back the end of another', async () => {
  await using agents = await openTestAgents();
  const { database } = agents.api.deps;
  const sessions = [];
  for (let count = 0; count < 2; count += 1) {
    const { sessionId, start } = await prepare(agents, undefined, { closeSession: true });
    await store(agents, sessionId, await start());
    sessions.push(sessionId);
  }
  const [locked = '', other = ''] = sessions;
  await inTransaction(database, async (transaction) => {
    await transaction.sql`select from session_heads where session_id = ${locked} for update`;
    await using open = new AsyncDisposableStack();
    const { log } = agents.api.app;
    const shutdown = new ShutdownBudget(60_000);
    open.use(new ActingAgents({ database, isLeading: () => true, shutdown, log }));
    await expect
      .poll(() => sessionOf(agents, other), { timeout: 5000 })
      .toMatchObject({ closeReason: 'agent' });
  });
  expect(await sessionOf(agents, locked)).toMatchObject({ status: 'ACTIVE' });
});

/** Creates a project with a template that may end the conversation unless `endConversation` is null, and a session. */
async function prepare(
  { api, ana }: TestAgents,
  baseUrl: string | undefined,
  endConversation: object | null,
) {
  const projectId = await api.createProject(ana);
  const post = (url: string, payload: object) => api.inject(ana, { method: 'POST', url, payload });
  const model = baseUrl
    ? { LLM_BASE_URL: baseUrl, LLM_API_KEY: 'sk-of-the-tests', LLM_MODEL: 'scripted' }
    : { LLM_API_KEY: 'rehearsal' };
  await post(`/projects/${projectId}/env-templates`, { name: 'keys', variables: model });
  const template = { name: 'Desk', role: 'light-agent', greeting: 'off', endConversation };
  const created = await post(`/projects/${projectId}/agent-templates`, template);
  const sessionId = await api.createSession(ana, projectId);
  const agentTemplateId = created.json().id;
  const start = async (): Promise<string> =>
    (await post(`/sessions/${sessionId}/agents`, { agentTemplateId })).json().id;
  return { sessionId, start };
}

/** Joins as Ann, and stores what the room hears, as a recorder does. Returns what was said. */
async function record({ api }: TestAgents, sessionId: string): Promise<readonly string[]> {
  const texts: string[] = [];
  const onEvent = (event: RoomEvent) => {
    if (event.type === 'text_stream') texts.push(event.text);
    const decoded = decode(event, { sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const { id, role, kind, content, metadata } = decoded.message;
    const row = spoken(sessionId, { id, role, kind, content, metadata });
    void appendMessages(api.deps.database, [row]).then(() => notify(api, sessionId));
  };
  const media = testMedia();
  const { token } = await userToken(media, { room: sessionId, userId: 'ann', name: 'Ann' });
  const ann = await joinRoom({ url: media.url, token, onEvent });
  onTestFinished(() => ann.leave());
  return texts;
}

/** Stores that an agent has ended the conversation. */
async function store({ api }: TestAgents, sessionId: string, agentId: string): Promise<void> {
  const identity = agentIdentity({ role: 'light-agent', agentId });
  const kind = 'conversation_ended';
  const participant = { identity, name: 'Light agent', kind: 'agent' };
  const metadata = { kind, participant, payload: { reason: 'booked' } };
  const row = spoken(sessionId, { role: 'system', kind, content: 'The end.', metadata });
  await appendMessages(api.deps.database, [row]);
  await notify(api, sessionId);
}

async function notify({ deps }: TestAgents['api'], sessionId: string): Promise<void> {
  await deps.database.sql`select pg_notify('messages_stored', ${sessionId})`;
}

async function say({ api, ana }: TestAgents, sessionId: string, content: string): Promise<void> {
  await api.inject(ana, {
    method: 'POST',
    url: `/sessions/${sessionId}/messages`,
    payload: { content },
  });
}

async function sessionOf({ api, ana }: TestAgents, sessionId: string): Promise<object> {
  return (await api.inject(ana, { url: `/sessions/${sessionId}` })).json();
}
