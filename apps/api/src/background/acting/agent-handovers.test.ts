import { agentIdentity, type RoomEvent } from '@session/contract/room';
import { appendMessages, requestAgentStop, updateAgentState } from '@session/db';
import { agentToken, joinRoom } from '@session/media';
import { packetsIn, untilReached, withoutProbes } from '@session/media/testing';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { notifyStored, prepareAgent } from '../../../testing/acting-agents.ts';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';
import { spoken } from '../../../testing/history.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { ActingAgents } from './acting-agents.ts';

const RUNNING = { status: 'Running', reason: null, detail: null, exitCode: null } as const;

test('a request starts the other agent once, though processes read it at once, twice and after a crash', async () => {
  await using agents = await openTestAgents();
  const { sessionId, start, addSuccessor } = await prepareAgent(agents, undefined, {});
  const agentTemplateId = await addSuccessor({ name: 'Sales' });
  const first = await start();
  const request = await store(agents, sessionId, first, { agentTemplateId });
  await store(agents, sessionId, first, { agentTemplateId, id: request });
  const followers = [follow(agents), follow(agents)];
  await expect.poll(() => agentsOf(agents, sessionId)).toHaveLength(2);
  for (const follower of followers) await follower[Symbol.asyncDispose]();
  const [, second] = await agentsOf(agents, sessionId);
  await updateAgentState(agents.api.deps.database, second?.id ?? '', RUNNING);
  // Another process goes on.
  follow(agents);
  await expect.poll(() => agents.find(first)).toMatchObject({ reason: 'handed_over' });
  expect(await agentsOf(agents, sessionId)).toHaveLength(2);
});

test('nobody is started by an agent that has stopped, may not, names another template, has given up, or no longer waits', async () => {
  await using agents = await openTestAgents();
  const { database } = agents.api.deps;
  const prepare = async () => {
    const { sessionId, start, addSuccessor } = await prepareAgent(agents, undefined, {});
    return { sessionId, first: await start(), agentTemplateId: await addSuccessor({ name: 'S' }) };
  };
  const requests: string[] = [];
  // This agent has the version of its template without a handover.
  const forbidden = await prepare();
  await store(agents, forbidden.sessionId, forbidden.first, forbidden);
  requests.push(forbidden.sessionId);
  for (const kind of ['stopped', 'foreign', 'expired', 'old'] as const) {
    const { sessionId, start, addSuccessor } = await prepareAgent(agents, undefined, {});
    const agentTemplateId = await addSuccessor({ name: 'Sales' });
    const first = await start();
    const template = kind === 'foreign' ? uuidv7() : agentTemplateId;
    await store(agents, sessionId, first, { agentTemplateId: template });
    if (kind === 'stopped') await requestAgentStop(database, first, 'requested');
    if (kind === 'old') {
      await database.sql`
        update messages set "timestamp" = "timestamp" - interval '2 minutes' where session_id = ${sessionId}`;
      // The position of the follower begins with the agent.
      await database.sql`
        update agents set created_at = created_at - interval '5 minutes' where id = ${first}`;
    }
    if (kind === 'expired') {
      await store(agents, sessionId, first, { agentTemplateId, state: 'expired' });
    }
    requests.push(sessionId);
  }
  // The youngest agent is followed last.
  const { sessionId, start, addSuccessor } = await prepareAgent(agents, undefined, {});
  const agentTemplateId = await addSuccessor({ name: 'Sales' });
  const first = await start();
  await store(agents, sessionId, first, { agentTemplateId });
  follow(agents);
  await expect.poll(() => agentsOf(agents, sessionId)).toHaveLength(2);
  for (const id of requests) expect(await agentsOf(agents, id)).toHaveLength(1);
  // The first agent gives up before its successor is Running.
  await store(agents, sessionId, first, { agentTemplateId, state: 'expired' });
  const [, second] = await agentsOf(agents, sessionId);
  await expect.poll(() => agents.find(second?.id ?? '')).toMatchObject({ reason: 'start_timeout' });
  expect(await agents.find(first)).toMatchObject({ reason: null });
});

test('a later request stops the successor that an earlier one started', async () => {
  await using agents = await openTestAgents();
  const { sessionId, start, addSuccessor } = await prepareAgent(agents, undefined, {});
  const sales = await addSuccessor({ name: 'Sales' });
  const service = await addSuccessor({ name: 'Service' });
  const first = await start();
  await store(agents, sessionId, first, { agentTemplateId: sales });
  const follower = follow(agents);
  await expect.poll(() => agentsOf(agents, sessionId)).toHaveLength(2);
  await follower[Symbol.asyncDispose]();
  await store(agents, sessionId, first, { agentTemplateId: sales, state: 'expired' });
  await store(agents, sessionId, first, { agentTemplateId: service });
  follow(agents);
  await expect.poll(() => agentsOf(agents, sessionId)).toHaveLength(3);
  expect(await agentsOf(agents, sessionId)).toMatchObject([
    { id: first, reason: null },
    { agentTemplateId: sales, reason: 'start_timeout' },
    { agentTemplateId: service, reason: null },
  ]);
});

test('a successor is not restarted if its predecessor is not', async () => {
  await using agents = await openTestAgents();
  const { database } = agents.api.deps;
  const { sessionId, start, addSuccessor } = await prepareAgent(agents, undefined, {});
  const agentTemplateId = await addSuccessor({ name: 'Sales' });
  const first = await start();
  await database.sql`update agents set restart_policy = 'never' where id = ${first}`;
  await store(agents, sessionId, first, { agentTemplateId });
  follow(agents);
  await expect.poll(() => agentsOf(agents, sessionId)).toHaveLength(2);
  const [, second] = await agentsOf(agents, sessionId);
  expect(second).toMatchObject({ config: { restart: 'never' } });
});

test.for<[string, Obstacle, string]>([
  ['lacks a value', { variables: [{ name: 'hotel', required: true }] }, 'missing_variable'],
  [
    'lacks an environment template, though the project has one',
    { sql: (sql) => sql`update agents set env_template_id = null` },
    'env_template_required',
  ],
  [
    'was deleted',
    { sql: (sql) => sql`delete from agent_templates where name = 'Sales'` },
    'not_found',
  ],
  ['is in the session already', { isThere: true }, 'agent_already_running'],
  ['is one too many', { limits: { allAgents: 1 } }, 'service_agent_capacity'],
])(
  'a handover to an agent that %s starts nobody: the waiting agent is told why, and it alone',
  async ([, { variables = [], isThere, sql, limits }, code]) => {
    await using agents = await openTestAgents();
    const { api } = agents;
    const { sessionId, start, addSuccessor } = await prepareAgent(agents, undefined, {
      variables: [{ name: 'hotel' }],
    });
    const agentTemplateId = await addSuccessor({ name: 'Sales', variables });
    const first = await start();
    const others = isThere ? [await start({}, agentTemplateId)] : [];
    await sql?.(api.deps.database.sql);
    await using room = await joinAs(sessionId, first);
    await using other = await joinAs(sessionId, uuidv7());
    const handover = await store(agents, sessionId, first, { agentTemplateId });
    follow(agents, limits);
    await expect
      .poll(room.packets)
      .toMatchObject([
        { type: 'handover_refused', handover, code, detail: expect.stringMatching(/\.$/) },
      ]);
    expect(other.packets()).toEqual([]);
    const ids = (await agentsOf(agents, sessionId)).map(({ id }) => id);
    expect(ids).toEqual([first, ...others]);
  },
);

interface Obstacle {
  readonly variables?: readonly object[];
  readonly isThere?: boolean;
  readonly sql?: (sql: TestAgents['api']['deps']['database']['sql']) => Promise<unknown>;
  readonly limits?: Partial<TestAgents['api']['deps']['config']['limits']>;
}

/** Joins as an agent, and keeps the packets that it gets. */
async function joinAs(room: string, agentId: string) {
  const events: RoomEvent[] = [];
  const server = testMedia();
  const { token, identity } = await agentToken(server, { room, role: 'light-agent', agentId });
  const onEvent = (event: RoomEvent) => void events.push(event);
  const joined = await joinRoom({ url: server.url, token, onEvent });
  await untilReached(server, room, { identity, events });
  const packets = () => packetsIn(withoutProbes(events));
  return { packets, [Symbol.asyncDispose]: () => joined.leave() };
}

/** Follows what agents do, as the leading process does. */
function follow(
  { api }: TestAgents,
  limits: Partial<TestAgents['api']['deps']['config']['limits']> = {},
): AsyncDisposable {
  const { database, config, rooms } = api.deps;
  const shutdown = new ShutdownBudget(60_000);
  const timing = { everyMs: 20, gapMs: 5 };
  const acting = new ActingAgents({
    database,
    config: { ...config, limits: { ...config.limits, ...limits } },
    rooms,
    isLeading: () => true,
    shutdown,
    log: api.app.log,
    timing,
  });
  onTestFinished(() => acting[Symbol.asyncDispose]());
  return acting;
}

interface Report {
  readonly agentTemplateId: string;
  readonly state?: 'expired' | 'requested';
  readonly id?: string;
}

/** Stores what an agent reports of a handover, and returns the id. */
async function store(
  { api }: TestAgents,
  sessionId: string,
  agentId: string,
  { agentTemplateId, state = 'requested', id = uuidv7() }: Report,
): Promise<string> {
  const identity = agentIdentity({ role: 'light-agent', agentId });
  const kind = 'handover';
  const participant = { identity, name: 'Light agent', kind: 'agent' };
  const payload = { reason: 'a price', state, to: { agentTemplateId, name: 'Sales' } };
  const metadata = { kind, participant, payload };
  const row = spoken(sessionId, { id, role: 'system', kind, content: 'Handover.', metadata });
  await appendMessages(api.deps.database, [row]);
  await notifyStored(api, sessionId);
  return id;
}

/** Returns the agents of a session, the oldest first. */
async function agentsOf({ api, ana }: TestAgents, sessionId: string): Promise<{ id: string }[]> {
  const { items } = (await api.inject(ana, { url: `/sessions/${sessionId}/agents` })).json();
  return items.toReversed();
}
