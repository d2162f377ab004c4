import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { AgentLauncher, LaunchRequest, LogLine, Workload } from '@session/agents';
import { testCluster } from '@session/testing';
import { expect, test } from 'vitest';
import { openAnother, openTestLauncher } from '../testing/launcher.ts';
import { podOf } from './pod-spec.ts';
import { PodWatch } from './pod-watch.ts';

const run = promisify(execFile);
const until = 'process.once("SIGTERM", () => process.exit(0));';
const SCRIPTS = {
  run: `${until} setInterval(() => {}, 1000); console.log("up");`,
  count: `${until} let n = 0; setInterval(() => console.log(n++), 20);`,
};
const { own } = testCluster();

interface Audited {
  readonly verb: string;
  readonly objectRef: { readonly resource: string };
}

test.skipIf(!own)(
  'while the API server restarts, no line is lost or repeated, and no end is missed',
  async ({ signal }) => {
    await using opened = await openTestLauncher(SCRIPTS);
    const { launcher } = opened;
    await launcher.start(launch('a1', 'count'));
    await launcher.start(launch('a2', 'run'));
    const lines: LogLine[] = [];
    const enough = new AbortController();
    const reading = (async () => {
      for await (const line of launcher.logs('a1', { follow: true, signal: enough.signal }))
        lines.push(line);
    })();
    const ended = phaseOf(launcher, 'a2', 'ended', signal);
    for (const count of [20, 200]) {
      await expect.poll(() => lines.length).toBeGreaterThan(count);
      process.kill(own?.pid ?? 0, 'SIGUSR1');
    }
    const before = lines.length;
    await expect.poll(() => lines.length).toBeGreaterThan(before + 20);
    await expect.poll(() => launcher.stop('a2', 10).then(() => 'done', String)).toBe('done');
    await ended;
    enough.abort();
    await reading;
    expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => String(index)));
  },
);

test.skipIf(!own)(
  'a watch that cannot resume because its version is forgotten starts with a new list',
  async () => {
    await using opened = await openTestLauncher(SCRIPTS);
    const { launcher, namespace } = opened;
    await launcher.start(launch('a1', 'run'));
    await phaseOf(launcher, 'a1', 'running');
    // After a restart the server has no cache of recent changes: a version that etcd has compacted is gone.
    const { metadata } = await namespace.admin.listNamespacedPod({ namespace: namespace.name });
    await run(own?.program ?? '', ['compact', own?.etcd ?? '', metadata?.resourceVersion ?? '']);
    process.kill(own?.pid ?? 0, 'SIGUSR1');
    await expect.poll(() => launcher.stop('a1', 10).then(() => 'done', String)).toBe('done');
    await phaseOf(launcher, 'a1', 'ended');
  },
);

test('a list that has reached its greatest age is requested again', async () => {
  await using opened = await openTestLauncher(SCRIPTS);
  const { api, namespace } = opened.options;
  let lists = 0;
  const listener = {
    listing() {},
    listed() {
      lists += 1;
    },
    changed() {},
    deleted() {},
    failed() {},
  };
  const pathname = `/api/v1/namespaces/${namespace}/pods`;
  const timing = { relistMs: 50, retryMs: 20, maxRetryMs: 100 };
  await using _ = new PodWatch({ api, pathname, selector: 'a=b', listener, timing });
  await expect.poll(() => lists).toBeGreaterThan(2);
});

test('the next launcher finds what runs, and resumes its log; it does not find another deployment’s pods', async () => {
  await using opened = await openTestLauncher(SCRIPTS);
  await opened.launcher.start(launch('a1', 'count'));
  const first: LogLine[] = [];
  for await (const line of opened.launcher.logs('a1', { follow: true })) {
    first.push(line);
    if (first.length === 5) break;
  }
  await opened.launcher[Symbol.asyncDispose]();
  await using other = openAnother(opened, { instance: 'other' });
  expect(await existing(other)).toEqual([]);
  await using next = openAnother(opened);
  expect(await existing(next)).toEqual(['a1']);
  const since = first.at(-1)?.at ?? 0;
  for await (const { line } of next.logs('a1', { follow: true, since })) {
    expect(line).toBe('5');
    break;
  }
  await next.stop('a1', 10);
  await phaseOf(next, 'a1', 'ended');
});

test('409 for a foreign pod with the agent’s name: the launch is refused, and the pod is not touched', async () => {
  await using opened = await openTestLauncher(SCRIPTS);
  const { launcher, namespace } = opened;
  const other = podOf(launch('a1', 'run'), { ...opened.options, instance: 'other' });
  await namespace.admin.createNamespacedPod({ namespace: namespace.name, body: other });
  await expect(launcher.start(launch('a1', 'run'))).rejects.toMatchObject({
    name: 'LaunchRefused',
    reason: 'bad_configuration',
    detail:
      'The namespace contains another pod with the name agent-a1. The operator must delete that pod.',
  });
  const { items } = await namespace.admin.listNamespacedPod({ namespace: namespace.name });
  expect(items).toHaveLength(1);
});

test('403 for what the namespace forbids: the launch is refused, with Kubernetes’ message', async () => {
  await using opened = await openTestLauncher(SCRIPTS);
  const agent = launch('a1', 'run');
  const resources = { cpu: ['1', '9'], memory: ['64Mi', '64Mi'] } as const;
  const role = { ...agent.role, resources };
  await expect(opened.launcher.start({ ...agent, role })).rejects.toMatchObject({
    name: 'LaunchRefused',
    reason: 'bad_configuration',
    detail: expect.stringContaining('maximum cpu usage per Container is 2'),
  });
});

test('403 for an exhausted quota: the launch is delayed, and succeeds once there is room', async () => {
  await using opened = await openTestLauncher(SCRIPTS);
  const { launcher, namespace } = opened;
  const { admin, name } = namespace;
  const body = { metadata: { name: 'one' }, spec: { hard: { pods: '1' } } };
  await admin.createNamespacedResourceQuota({ namespace: name, body });
  const find = async () =>
    await admin.readNamespacedResourceQuota({ name: 'one', namespace: name });
  await expect.poll(async () => (await find()).status?.hard).toEqual({ pods: '1' });
  await launcher.start(launch('a1', 'run'));
  await expect(launcher.start(launch('a2', 'run'))).rejects.toMatchObject({
    name: 'LaunchDelayed',
    reason: 'no_capacity',
    detail: expect.stringContaining('exceeded quota'),
  });
  // Kubernetes may notice only minutes later that a pod has left, but notices a changed quota at once.
  const more = [{ op: 'replace', path: '/spec/hard/pods', value: '2' }];
  await admin.patchNamespacedResourceQuota({ name: 'one', namespace: name, body: more });
  await expect
    .poll(() => launcher.start(launch('a2', 'run')).then(() => 'done', String))
    .toBe('done');
});

test.skipIf(!own)(
  'the life of an agent takes few requests, and no value of its environment is in any pod',
  async () => {
    await using opened = await openTestLauncher(SCRIPTS);
    const { launcher, namespace } = opened;
    await launcher.start(launch('a1', 'run', { LLM_API_KEY: 'hunter2' }));
    await phaseOf(launcher, 'a1', 'running');
    const { items } = await namespace.admin.listNamespacedPod({ namespace: namespace.name });
    expect(JSON.stringify(items)).not.toContain('hunter2');
    await launcher.stop('a1', 10);
    await phaseOf(launcher, 'a1', 'ended');
    const secrets = async () =>
      (await namespace.admin.listNamespacedSecret({ namespace: namespace.name })).items;
    await expect.poll(secrets).toEqual([]);
    const audit = await readFile(own?.audit ?? '', 'utf8');
    const asked = audit
      .split('\n')
      .filter((line) => line.includes(`"system:serviceaccount:${namespace.name}:api"`))
      .map((line): Audited => JSON.parse(line));
    const requests = asked.map(({ verb, objectRef }) => `${verb} ${objectRef.resource}`);
    expect(requests.filter((request) => request !== 'watch pods').toSorted()).toEqual([
      'create pods',
      'create secrets',
      'delete pods',
      'list pods',
    ]);
  },
);

function launch(agentId: string, program: string, env: Record<string, string> = {}): LaunchRequest {
  const resources = { cpu: ['50m', '1'], memory: ['64Mi', '256Mi'] } as const;
  const texts = { name: program, title: program, description: program, image: program };
  const reads = { conversation: 'none', variables: [] } as const;
  const role = { ...texts, ...reads, program, resources, restart: 'never' } as const;
  return {
    workloadId: agentId,
    agentId,
    sessionId: 's1',
    projectId: 'p1',
    role,
    templateVariables: {},
    env,
  };
}

async function phaseOf(
  launcher: AgentLauncher,
  agentId: string,
  phase: string,
  signal = AbortSignal.timeout(60_000),
): Promise<Workload> {
  for await (const observation of launcher.observe(signal)) {
    if (observation.type === 'synced' || observation.workloadId !== agentId) continue;
    if (observation.workload.phase === phase) return observation.workload;
  }
  throw new Error(`${agentId} was never ${phase}`);
}

async function existing(launcher: AgentLauncher): Promise<string[]> {
  const ids: string[] = [];
  for await (const observation of launcher.observe(AbortSignal.timeout(60_000))) {
    if (observation.type === 'synced') return ids;
    ids.push(observation.workloadId);
  }
  throw new Error('never synced');
}
