import type { AgentTimeline } from '@session/contract';
import { agentIdentity } from '@session/contract/room';
import * as db from '@session/db';
import { identify } from '@session/kit';
import { openRoomService } from '@session/media';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinsOf, openTestAgents, runs, type TestAgents } from '../../../testing/agents.ts';
import { ask } from '../../../testing/ask.ts';

const restart = { restart: 'on-failure' } as const;
const quick = { restartDelaysMs: [10, 10, 10] };
/** No restart comes within the test. */
const slow = { restartDelaysMs: [600_000] };

test('a killed agent is in its room again under its id and identity, and answers; its timeline, log and `restarts` tell it', async () => {
  await using agents = await openTestAgents({ env: { AGENT_CAPACITY_PER_ACCOUNT: '1' } });
  await agents.open();
  const { id, sessionId } = await agents.start('echo-agent', undefined, restart);
  const first = await agents.until(id, 'Running');
  const rooms = openRoomService(testMedia());
  const [ghost] = await rooms.listParticipants(sessionId);
  // The agent is in the room a moment before it prints its line.
  await expect.poll(() => joinsOf(agents, id)).toBe(1);
  await kill(agents, id);
  const waiting = await agents.until(id, 'Starting');
  const { startedAt, runningAt } = first;
  expect(waiting).toMatchObject({
    restarts: 1,
    reason: null,
    exitCode: null,
    startedAt,
    runningAt,
  });
  // The agent counts once, even while it waits.
  await expect(agents.start('core-agent', sessionId)).rejects.toThrow('agent_capacity');

  expect(await agents.until(id, 'Running')).toEqual({ ...first, restarts: 1 });
  const present = await rooms.listParticipants(sessionId);
  const identity = agentIdentity({ role: 'echo-agent', agentId: id });
  expect(present).toMatchObject([{ identity, state: 'active' }]);
  expect(present[0]?.sid).not.toBe(ghost?.sid);
  expect(await ask(sessionId, 'still there?')).toBe('You said: still there?');
  const steps = ['requested', 'admitted', 'started', 'joined', 'crashed', 'restarting', 'joined'];
  expect(await agents.steps(id)).toEqual(steps);

  const metric = 'session_agent_restarts_total';
  expect(await agents.api.deps.metrics.registry.getSingleMetricAsString(metric)).toContain(
    `${metric}{reason="crashed"} 1`,
  );

  await agents.stop(id);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested', restarts: 1 });
  expect(await agents.steps(id)).toEqual([...steps, 'stopped']);
  expect(await joinsOf(agents, id)).toBe(2);
  const { registry } = agents.api.deps.metrics;
  // Only the first join counts, because a restart is not a request.
  await expect
    .poll(() => registry.metrics())
    .toMatch(/^session_agent_join_duration_seconds_count\{role="echo-agent"\} 1$/m);
  await expect
    .poll(() => registry.metrics())
    .toMatch(/^session_agent_ends_total\{reason="requested"\} 1$/m);
});

test('a fourth end within ten minutes stops an agent with its reason, also when the API restarted in between', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': runs }, limits: quick });
  const reconciler = await agents.open();
  const { id } = await agents.start('light-agent', undefined, restart);
  await kill(agents, id);
  await untilRestarted(agents, id, 1);
  await reconciler[Symbol.asyncDispose]();
  expect(await agents.find(id)).toMatchObject({ status: 'Starting', restarts: 2, reason: null });
  await agents.open();
  await kill(agents, id);
  await untilRestarted(agents, id, 3);
  await kill(agents, id);
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    restarts: 3,
    reason: 'crashed',
    exitCode: 137,
    detail: 'The agent’s program was ended by SIGKILL.',
  });
  const { items } = await timeline(agents, id);
  expect(items.filter(({ event }) => event === 'crashed').map(({ detail }) => detail)).toEqual([
    'crashed',
    'evicted',
    'crashed',
  ]);
  expect(items.at(-1)).toMatchObject({ event: 'stopped', detail: 'crashed' });
});

test.each([
  [
    'is asked to stop',
    async (agents: TestAgents, { id }: { id: string }) => await agents.stop(id),
    'requested',
  ],
  [
    'belongs to a session that is closed',
    async ({ api, ana }: TestAgents, { sessionId }: { sessionId: string }) =>
      await api.inject(ana, { method: 'POST', url: `/sessions/${sessionId}/close` }),
    'session_closed',
  ],
])('an agent that waits for its restart and %s is Stopped at once', async (_, end, reason) => {
  await using agents = await openTestAgents({ programs: { 'light-agent': runs }, limits: slow });
  await agents.open();
  const agent = await agents.start('light-agent', undefined, restart);
  await kill(agents, agent.id);
  await untilRestarted(agents, agent.id, 1, false);
  await end(agents, agent);
  expect(await agents.until(agent.id, 'Stopped')).toMatchObject({ reason, restarts: 1 });
  expect(await agents.pidOf(agent.id)).toBeUndefined();
});

test('the time of a restart outlives the API: the next one waits for it as long', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': runs }, limits: slow });
  const reconciler = await agents.open();
  const { id } = await agents.start('light-agent', undefined, restart);
  await kill(agents, id);
  await untilRestarted(agents, id, 1, false);
  await reconciler[Symbol.asyncDispose]();
  await agents.open();
  const other = await agents.start('light-agent');
  await expect.poll(() => agents.pidOf(other.id)).toBeDefined();
  expect(await agents.pidOf(id)).toBeUndefined();
  expect(await agents.find(id)).toMatchObject({ status: 'Starting', restarts: 1 });
});

test.each([
  ['completes', 'process.exitCode = 0;', 'completed'],
  ['finds its configuration faulty', 'process.exitCode = 78;', 'bad_configuration'],
])('an agent that %s is not started again', async (_, program, reason) => {
  await using agents = await openTestAgents({ programs: { 'light-agent': program } });
  await agents.open();
  const { id } = await agents.start('light-agent', undefined, restart);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason, restarts: 0 });
});

test('an agent that another process has restarted is ended by the process that ran it before', async () => {
  await using agents = await openTestAgents({ programs: { 'light-agent': runs }, limits: quick });
  await agents.open();
  const { id } = await agents.start('light-agent', undefined, restart);
  await expect.poll(() => agents.pidOf(id)).toBeDefined();
  const pid = (await agents.pidOf(id)) ?? 0;
  const lost = { reason: 'lost', delayMs: 0, restarts: 0 };
  expect(await db.restartAgent(agents.api.deps.database, id, lost)).toBe(true);
  await expect.poll(() => identify(pid)).toBeUndefined();
  await untilRestarted(agents, id, 1);
  // The end of the earlier process is not that of the agent.
  expect(await agents.find(id)).toMatchObject({ status: 'Starting', restarts: 1 });
});

/** Kills the agent's newest process as soon as it runs. */
async function kill(agents: TestAgents, id: string): Promise<void> {
  await expect.poll(() => agents.pidOf(id)).toBeDefined();
  const { restarts } = await agents.find(id);
  process.kill((await agents.pidOf(id)) ?? 0, 'SIGKILL');
  const isOver = async () => {
    const agent = await agents.find(id);
    return agent.restarts > restarts || agent.status === 'Stopped';
  };
  await expect.poll(isOver).toBe(true);
}

/** Waits until the agent was restarted that many times, and until it has a process again. */
async function untilRestarted(agents: TestAgents, id: string, count: number, hasProcess = true) {
  const restarts = async () => (await agents.find(id)).restarts;
  await expect.poll(restarts).toBe(count);
  if (!hasProcess) return;
  await expect.poll(() => agents.pidOf(id)).toBeDefined();
}

async function timeline({ api, ana }: TestAgents, id: string): Promise<AgentTimeline> {
  return (await api.inject(ana, { url: `/agents/${id}/timeline` })).json();
}
