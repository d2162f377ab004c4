import { readFile, writeFile } from 'node:fs/promises';
import { agentIdentity } from '@session/contract/room';
import type { TestNamespace } from '@session/k8s/testing';
import { testCluster } from '@session/testing';
import { expect, test } from 'vitest';
import { pidsWith } from '../../../testing/agent-processes.ts';
import { openTestAgents } from '../../../testing/agents.ts';
import { ask } from '../../../testing/ask.ts';
import { envOf, limit, linesOf, openPods, podsIn, secretsIn } from '../../../testing/pods.ts';

test('an agent is a pod: Running when ready in its room, where it answers, Stopped `requested`; only its log is left', async () => {
  await using pods = await openPods();
  const { agents, namespace } = pods;
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
  // The beginning of every token.
  expect(JSON.stringify(pod)).not.toContain('eyJ');
  const steps = ['requested', 'admitted', 'scheduled', 'started', 'joined'];
  // The cluster reports the start a moment after the media server has reported the join.
  await expect.poll(() => agents.steps(id)).toEqual(steps);
  expect(await ask(sessionId, 'hello')).toBe('You said: hello');

  await agents.stop(id);
  const stopped = await agents.until(id, 'Stopped');
  expect(stopped).toMatchObject({ reason: 'requested', exitCode: 0 });
  const { items } = await agents.logs(id);
  expect(items.map(({ line }) => line)).toEqual([
    'echo mode: text',
    `joined room ${sessionId} as ${agentIdentity({ role: 'echo-agent', agentId: id })}`,
    expect.stringMatching(/^answered message .{36}$/),
  ]);
  await expect.poll(() => podsIn(namespace)).toEqual([]);
  await expect.poll(() => secretsIn(namespace)).toEqual([]);
});

test.skipIf(!testCluster().own)(
  'an agent that is killed is `crashed`, and its pod is deleted once its log is stored',
  async () => {
    await using pods = await openPods();
    const { agents, namespace } = pods;
    await agents.open();
    const { id } = await agents.start();
    await agents.until(id, 'Running');
    // The agent is in the room a moment before it prints its line.
    await expect.poll(async () => (await agents.logs(id)).items).toHaveLength(2);
    for (const pid of await pidsWith(new Set([`AGENT_ID=${id}`]))) process.kill(pid, 'SIGKILL');
    expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'crashed', exitCode: 137 });
    await expect.poll(() => podsIn(namespace)).toEqual([]);
    expect((await agents.logs(id)).items).toHaveLength(2);
  },
);

test('an agent whose image does not exist is `image_error` after the start timeout, and its pod is deleted', async () => {
  const env = { AGENT_IMAGES: 'echo-agent=session-service/missing:1' };
  await using pods = await openPods({ env, limits: { startTimeoutMs: 20_000 } });
  const { agents, namespace } = pods;
  await agents.open();
  const { id } = await agents.start();
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'image_error',
    detail: expect.stringContaining('session-service/missing:1'),
    exitCode: null,
  });
  await expect.poll(() => podsIn(namespace)).toEqual([]);
});

test('an agent for which the quota has no room is `no_capacity` after the start timeout', async () => {
  await using pods = await openPods({ limits: { startTimeoutMs: 1000 } });
  const { agents, namespace } = pods;
  await limit(namespace, { pods: '0' });
  await agents.open();
  const { id } = await agents.start();
  expect(await agents.until(id, 'Stopped')).toMatchObject({
    reason: 'no_capacity',
    detail: expect.stringContaining('exceeded quota'),
  });
});

test('the successor of an API that died between pod and secret creates the secret', async () => {
  await using pods = await openPods();
  const { agents, namespace } = pods;
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

test('pods outlive an API: the next API keeps them running, ends pods without a row, and stores which are lost', async () => {
  await using pods = await openPods();
  const { agents, namespace, sql } = pods;
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
  const written = () => linesOf(namespace, kept.id);
  await expect.poll(written).toContainEqual(expect.stringMatching(/^answered message/));
  const expected = await written();
  await agents.stop(kept.id);
  expect(await agents.until(kept.id, 'Stopped')).toMatchObject({ reason: 'requested' });
  const lines = (await agents.logs(kept.id)).items.map(({ line }) => line);
  // Each line is stored once, although two processes followed the log.
  expect(lines).toEqual(expected);
});

test('while the cluster cannot be reached no agent is lost', async () => {
  await using pods = await openPods();
  const { agents, namespace, sql } = pods;
  const first = await agents.open();
  const { id } = await agents.start();
  await agents.until(id, 'Running');
  await first[Symbol.asyncDispose]();

  const { databaseUrl } = pods;
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

test('the cluster checks a dry run and creates nothing: 200 with an exhausted quota, or with a cluster that is away', async () => {
  await using pods = await openPods();
  const { agents, namespace, databaseUrl } = pods;
  const { ana } = agents;
  const dryRun = async ({ api }: typeof agents) => {
    const url = `/sessions/${await agents.api.createSession(ana)}/agents?dryRun=true`;
    const payload = { role: 'echo-agent' };
    return (await api.inject(ana, { method: 'POST', url, payload })).json();
  };
  expect(await dryRun(agents)).toEqual({ ok: true, problems: [], reach: null });
  await limit(namespace, { pods: '0' });
  expect(await dryRun(agents)).toMatchObject({
    ok: false,
    reach: null,
    problems: [{ code: 'no_capacity', detail: expect.stringContaining('exceeded quota') }],
  });
  const env = { ...envOf(namespace), KUBECONFIG: await unreachable(namespace) };
  await using blind = await openTestAgents({ databaseUrl, env });
  expect(await dryRun(blind)).toMatchObject({ problems: [{ code: 'start_timeout' }] });
  expect(await podsIn(namespace)).toEqual([]);
});

/** Returns the path of a kubeconfig for a cluster that does not exist. */
async function unreachable({ kubeconfig }: TestNamespace): Promise<string> {
  const file = `${kubeconfig}.unreachable`;
  const text = await readFile(kubeconfig, 'utf8');
  await writeFile(file, text.replace(/https:[^"]+/, 'https://127.0.0.1:1'));
  return file;
}
