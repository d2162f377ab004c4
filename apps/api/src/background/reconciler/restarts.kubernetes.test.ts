import type { RoomEvent } from '@session/contract/room';
import * as db from '@session/db';
import { testCluster } from '@session/testing';
import { expect, test } from 'vitest';
import { pidsWith } from '../../../testing/agent-processes.ts';
import { joinsOf } from '../../../testing/agents.ts';
import { ask } from '../../../testing/ask.ts';
import { openPods, podsIn, secretsIn, type TestPods } from '../../../testing/pods.ts';
import { recordRoom } from '../../../testing/recorded-room.ts';

const restart = { restart: 'on-failure' } as const;
const JOINED = ['requested', 'admitted', 'scheduled', 'started', 'joined'];

test.skipIf(!testCluster().own)(
  'a killed agent is a pod again, with a name and a secret of its own, and answers; the dead pod goes once its log is stored',
  async () => {
    await using pods = await openPods();
    const { agents, namespace } = pods;
    await agents.open();
    const { id, sessionId } = await agents.start('echo-agent', undefined, restart);
    await agents.until(id, 'Running');
    await expect.poll(() => agents.steps(id)).toEqual(JOINED);
    // The agent is in the room a moment before it prints its line.
    await expect.poll(() => joinsOf(agents, id)).toBe(1);
    for (const pid of await pidsWith(new Set([`AGENT_ID=${id}`]))) process.kill(pid, 'SIGKILL');
    await untilBack(pods, id, 1);
    const again = `agent-${id}-1`;
    await expect.poll(() => podNames(pods)).toEqual([again]);
    const [pod] = await podsIn(namespace);
    expect(pod?.metadata?.labels).toMatchObject({
      'session-service/agent-id': id,
      'session-service/workload-id': `${id}-1`,
    });
    await expect.poll(() => secretsIn(namespace)).toEqual([again]);
    expect(await ask(sessionId, 'hello')).toBe('You said: hello');
    expect(await agents.steps(id)).toEqual([...JOINED, 'crashed', 'restarting', 'joined']);

    await agents.stop(id);
    expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested', exitCode: 0 });
    await expect.poll(() => podsIn(namespace)).toEqual([]);
    await expect.poll(() => secretsIn(namespace)).toEqual([]);
    expect(await joinsOf(agents, id)).toBe(2);
  },
);

test('an agent that is drained, or whose pod another client deletes, comes back', async () => {
  await using pods = await openPods();
  const { agents, namespace } = pods;
  const { admin, name } = namespace;
  await agents.open();
  const { id } = await agents.start('echo-agent', undefined, restart);
  await agents.until(id, 'Running');
  const body = { metadata: { name: `agent-${id}` } };
  await admin.createNamespacedPodEviction({ name: `agent-${id}`, namespace: name, body });
  await untilBack(pods, id, 1);
  await admin.deleteNamespacedPod({ name: `agent-${id}-1`, namespace: name });
  await untilBack(pods, id, 2);
  await expect.poll(() => podNames(pods)).toEqual([`agent-${id}-2`]);
  const { items } = (await agents.api.inject(agents.ana, { url: `/agents/${id}/timeline` })).json();
  const ends = items.filter(({ event }: { event: string }) => event === 'crashed');
  expect(ends.map(({ detail }: { detail: string }) => detail)).toEqual(['evicted', 'lost']);
});

test('the API that comes after a crash between two workloads removes the dead pod and starts the next one', async () => {
  await using pods = await openPods();
  const { agents, namespace, sql } = pods;
  const first = await agents.open();
  const { id } = await agents.start('echo-agent', undefined, restart);
  await agents.until(id, 'Running');
  await first[Symbol.asyncDispose]();
  // Leaves the row as an API does that is killed right after it has decided to restart the agent.
  const end = { reason: 'crashed', delayMs: 0, restarts: 0 };
  expect(await db.restartAgent(agents.api.deps.database, id, end)).toBe(true);
  expect(await podNames(pods)).toEqual([`agent-${id}`]);
  await agents.open();
  await untilBack(pods, id, 1);
  await expect.poll(() => podNames(pods)).toEqual([`agent-${id}-1`]);
  await expect.poll(() => secretsIn(namespace)).toEqual([`agent-${id}-1`]);
  expect(await sql`select restart_at from agents where id = ${id}`).toEqual([{ restart_at: null }]);
});

test.skipIf(!testCluster().own)(
  'a conversational agent whose pod is killed goes on at its step without a greeting, and answers what was said meanwhile',
  async () => {
    await using pods = await openPods();
    const { agents } = pods;
    const { api, ana } = agents;
    await agents.open();
    const projectId = await api.createProject(ana);
    const post = async (url: string, payload: object) =>
      (await api.inject(ana, { method: 'POST', url, payload })).json();
    const variables = { LLM_API_KEY: 'rehearsal' };
    await post(`/projects/${projectId}/env-templates`, { name: 'model', variables });
    const steps = [
      { title: 'Day', instructions: 'Ask for the day.', deliverable: 'The day' },
      { title: 'Name', instructions: 'Ask for the name.', deliverable: 'The name' },
    ];
    const plan = await post(`/projects/${projectId}/plan-templates`, { name: 'Booking', steps });
    const sessionId = await api.createSession(ana, projectId);
    await using room = await recordRoom(api, sessionId);
    const texts = () => textsIn(room.events);
    const say = async (content: string) =>
      await post(`/sessions/${sessionId}/messages`, { content });
    const request = { role: 'light-agent', planId: plan.id };
    const { id } = await post(`/sessions/${sessionId}/agents`, request);
    await expect.poll(texts).toHaveLength(1);
    await say('Tuesday');
    await expect.poll(texts).toHaveLength(2);
    await expect.poll(() => eventsIn(room.events, 'step_started')).toHaveLength(2);
    for (const pid of await pidsWith(new Set([`AGENT_ID=${id}`]))) process.kill(pid, 'SIGKILL');
    await expect.poll(() => agents.find(id)).toMatchObject({ restarts: 1 });
    await say('Ann');
    await expect.poll(texts).toHaveLength(3);
    expect(texts()).toEqual([
      expect.stringContaining('Please tell me: The day.'),
      'Noted. Please tell me: The name.',
      'Noted. That was the whole plan. Thank you!',
    ]);
    await expect.poll(() => eventsIn(room.events, 'plan_completed')).toHaveLength(1);
    expect(eventsIn(room.events, 'step_started')).toHaveLength(2);
  },
);

/** Waits until the agent was restarted that many times, and is in its room again. */
async function untilBack({ agents }: TestPods, id: string, restarts: number): Promise<void> {
  await expect.poll(() => agents.find(id)).toMatchObject({ restarts, status: 'Running' });
}

async function podNames({ namespace }: TestPods) {
  return (await podsIn(namespace)).map(({ metadata }) => metadata?.name);
}

function textsIn(events: readonly RoomEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'text_stream' ? [event.text] : []));
}

/** Returns the packets that report this state. */
function eventsIn(events: readonly RoomEvent[], state: string): string[] {
  return events.flatMap((event) => {
    const packet = event.type === 'packet' ? Buffer.from(event.payload).toString() : '';
    return packet.includes(`"${state}"`) ? [packet] : [];
  });
}
