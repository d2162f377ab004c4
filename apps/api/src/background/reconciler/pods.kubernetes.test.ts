import { readFile, writeFile } from 'node:fs/promises';
import type { RoomEvent } from '@session/contract/room';
import { agentIdentity, joinRoom, userToken } from '@session/media';
import { type TestNamespace, testCluster, testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { pidsWith } from '../../../testing/agent-processes.ts';
import { openTestAgents } from '../../../testing/agents.ts';
import { envOf, limit, openPods, podsIn, secretsIn } from '../../../testing/pods.ts';

test('an agent is a pod: Running when it is in the room, it answers, Stopped `requested`; its log stays, nothing else', async () => {
  await using world = await openPods();
  const { agents, namespace } = world;
  await agents.open();
  const { id, sessionId } = await agents.start();
  expect(await agents.until(id, 'Running')).toMatchObject({ reason: null });
  const [pod] = await podsIn(namespace);
  expect(pod?.metadata?.labels).toMatchObject({
    'app.kubernetes.io/name': 'echo-agent',
    'app.kubernetes.io/instance': 'blue',
    'session-service/agent-id': id,
    'session-service/session-id': sessionId,
  });
  // Every token begins so.
  expect(JSON.stringify(pod)).not.toContain('eyJ');
  const steps = ['requested', 'admitted', 'scheduled', 'started', 'joined'];
  // The cluster says so a moment later than the media server.
  await expect.poll(() => agents.steps(id)).toEqual(steps);
  expect(await ask(sessionId, 'hello')).toBe('You said: hello');

  await agents.stop(id);
  const stopped = await agents.until(id, 'Stopped');
  expect(stopped).toMatchObject({ reason: 'requested', exitCode: 0 });
  const { items } = await agents.logs(id);
  expect(items.map(({ line }) => line)).toEqual([
    `is in room ${sessionId} as ${agentIdentity({ role: 'echo-agent', agentId: id })}`,
    expect.stringMatching(/^answered message .{36}$/),
  ]);
  await expect.poll(() => podsIn(namespace)).toEqual([]);
  await expect.poll(() => secretsIn(namespace)).toEqual([]);
});

test.skipIf(!testCluster().own)(
  'one that is killed is `crashed`, and its pod goes when its log is kept',
  async () => {
    await using world = await openPods();
    const { agents, namespace } = world;
    await agents.open();
    const { id } = await agents.start();
    await agents.until(id, 'Running');
    // It is in the room a moment before it says so.
    await expect.poll(async () => (await agents.logs(id)).items).toHaveLength(1);
    for (const pid of await pidsWith(new Set([`AGENT_ID=${id}`]))) process.kill(pid, 'SIGKILL');
    expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'crashed', exitCode: 137 });
    await expect.poll(() => podsIn(namespace)).toEqual([]);
    expect((await agents.logs(id)).items).toHaveLength(1);
  },
);

test('one whose image is not there is `image_error` when its time is over, and its pod goes', async () => {
  await using world = await openPods({ limits: { startTimeoutMs: 6000 } });
  const { agents, namespace } = world;
  await agents.open();
  const { id } = await agents.start('light-agent');
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'image_error',
    detail: expect.stringContaining('session-service/light-agent:'),
    exitCode: null,
  });
  await expect.poll(() => podsIn(namespace)).toEqual([]);
});

test('one for which the quota has no room is `no_capacity` when its time is over', async () => {
  await using world = await openPods({ limits: { startTimeoutMs: 1000 } });
  const { agents, namespace } = world;
  await limit(namespace, { pods: '0' });
  await agents.open();
  const { id } = await agents.start();
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'no_capacity',
    detail: expect.stringContaining('exceeded quota'),
  });
});

test('who follows an API that died between pod and secret finishes its work', async () => {
  await using world = await openPods();
  const { agents, namespace } = world;
  await limit(namespace, { secrets: '0' });
  const first = await agents.open();
  const { id } = await agents.start();
  await expect.poll(() => podsIn(namespace)).toHaveLength(1);
  await first[Symbol.asyncDispose]();
  expect(await secretsIn(namespace)).toEqual([]);
  const { admin, name } = namespace;
  await admin.deleteNamespacedResourceQuota({ name: 'limit', namespace: name });
  await agents.open();
  await agents.until(id, 'Running');
  expect(await secretsIn(namespace)).toEqual([`agent-${id}`]);
});

test('pods outlive an API: the next one goes on with them, ends those without a row, and misses those that are gone', async () => {
  await using world = await openPods();
  const { agents, namespace, sql } = world;
  const { admin, name } = namespace;
  const first = await agents.open();
  const [kept, orphan, gone] = [await agents.start(), await agents.start(), await agents.start()];
  for (const { id } of [kept, orphan, gone]) await agents.until(id, 'Running');
  await first[Symbol.asyncDispose]();
  expect(await podsIn(namespace)).toHaveLength(3);
  await sql`delete from agents where id = ${orphan.id}`;
  await admin.deleteNamespacedPod({
    name: `agent-${gone.id}`,
    namespace: name,
    gracePeriodSeconds: 1,
  });
  await expect.poll(() => podsIn(namespace)).toHaveLength(2);

  await agents.open();
  expect(await agents.until(gone.id, 'Stopped')).toMatchObject({ reason: 'lost', exitCode: null });
  await expect.poll(() => podsIn(namespace)).toHaveLength(1);
  expect(await agents.find(kept.id)).toMatchObject({ status: 'Running' });
  expect(await ask(kept.sessionId, 'still there?')).toBe('You said: still there?');
  await agents.stop(kept.id);
  expect(await agents.until(kept.id, 'Stopped')).toMatchObject({ reason: 'requested' });
  const lines = (await agents.logs(kept.id)).items.map(({ line }) => line);
  // Each once, though two have followed it.
  expect(lines).toHaveLength(2);
});

test('while the cluster cannot be reached nothing is known, and so nothing is lost', async () => {
  await using world = await openPods();
  const { agents, namespace, sql } = world;
  const first = await agents.open();
  const { id } = await agents.start();
  await agents.until(id, 'Running');
  await first[Symbol.asyncDispose]();

  const { databaseUrl } = world;
  const env = { ...envOf(namespace), KUBECONFIG: await unreachable(namespace) };
  await using blind = await openTestAgents({ databaseUrl, env });
  const away = await blind.open();
  await expect.poll(() => sql`select 1 from leases where expires_at > now()`).toHaveLength(1);
  const asked = await agents.start();
  await away[Symbol.asyncDispose]();
  expect(await agents.find(id)).toMatchObject({ status: 'Running' });
  expect(await agents.find(asked.id)).toMatchObject({ status: 'Starting' });
  expect(await podsIn(namespace)).toHaveLength(1);
  await agents.open();
  await agents.until(asked.id, 'Running');
});

test('a dry run is judged by the cluster, which makes nothing: 200 with a quota that is used up, or that it does not answer', async () => {
  await using world = await openPods();
  const { agents, namespace, databaseUrl } = world;
  const { ana } = agents;
  const dryRun = async ({ api }: typeof agents) => {
    const url = `/sessions/${await agents.api.createSession(ana)}/agents?dryRun=true`;
    const payload = { role: 'echo-agent' };
    return (await api.inject(ana, { method: 'POST', url, payload })).json();
  };
  expect(await dryRun(agents)).toEqual({ ok: true, problems: [] });
  await limit(namespace, { pods: '0' });
  expect(await dryRun(agents)).toMatchObject({
    ok: false,
    problems: [{ code: 'no_capacity', detail: expect.stringContaining('exceeded quota') }],
  });
  const env = { ...envOf(namespace), KUBECONFIG: await unreachable(namespace) };
  await using blind = await openTestAgents({ databaseUrl, env });
  expect(await dryRun(blind)).toMatchObject({ problems: [{ code: 'start_timeout' }] });
  expect(await podsIn(namespace)).toEqual([]);
});

/** Gives a file that names a cluster which is not there. */
async function unreachable({ kubeconfig }: TestNamespace): Promise<string> {
  const file = `${kubeconfig}.unreachable`;
  const text = await readFile(kubeconfig, 'utf8');
  await writeFile(file, text.replace(/https:[^"]+/, 'https://127.0.0.1:1'));
  return file;
}

/** Gives the answer to what a person says in a room. */
async function ask(room: string, text: string): Promise<string | undefined> {
  const answers: string[] = [];
  const { url } = testMedia();
  const { token } = await userToken(testMedia(), { room, userId: 'ana', name: 'Ana' });
  const onEvent = (event: RoomEvent) =>
    void (event.type === 'text_stream' && answers.push(event.text));
  await using joined = await joinRoom({ url, token, onEvent });
  await joined.say(text);
  await expect.poll(() => answers).toHaveLength(1);
  return answers[0];
}
