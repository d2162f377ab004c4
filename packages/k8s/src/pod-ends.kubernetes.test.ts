import type { AgentObservation, LaunchRequest, Workload } from '@session/agents';
import { expect, test } from 'vitest';
import { openTestLauncher, type TestLauncher } from '../testing/launcher.ts';
import type { TestNamespace } from '../testing/namespace.ts';

const SCRIPTS = {
  crash: 'console.error("hunter2"); process.exitCode = 3;',
  finish: '',
  run: 'process.once("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000); console.log("up");',
  // Takes no more than 1 GB, however late its limit is noticed.
  gorge:
    'const all = []; setInterval(() => all.length < 20 && all.push(Buffer.alloc(50_000_000, 1)), 20);',
};
const small = { cpu: ['50m', '200m'], memory: ['64Mi', '256Mi'] } as const;

type Options = Parameters<typeof openTestLauncher>[1] & {
  readonly resources?: LaunchRequest['role']['resources'];
  /** What happens to the pod once its program runs. */
  readonly act?: (opened: TestLauncher) => Promise<unknown>;
};
type Case = readonly [name: string, program: string, options: Options, last: Last];
type Last = Readonly<Record<string, unknown>> & { readonly phase?: Workload['phase'] };

const POD = 'agent-a1';

const CASES: readonly Case[] = [
  ['an end by itself', 'finish', {}, { phase: 'ended', exitCode: 0 }],
  [
    'a crash, without the last words, which are in its log',
    'crash',
    {},
    { phase: 'ended', exitCode: 3 },
  ],
  ['too much memory', 'gorge', {}, { exitCode: 137, cause: 'out_of_memory' }],
  ['a deadline', 'run', { deadlineSeconds: 2 }, { phase: 'ended', cause: 'max_duration' }],
  [
    'no such program',
    'run',
    { imageOf: () => ({ image: 'node:26-alpine', command: ['/no/such/program'] }) },
    { exitCode: 128, cause: 'bad_configuration', detail: expect.stringContaining('/no/such') },
  ],
  [
    'an image name that is not valid',
    'run',
    { imageOf: () => ({ image: 'Not:A:Name' }) },
    {
      exitCode: null,
      cause: 'bad_configuration',
      detail: expect.stringContaining('InvalidImageName'),
    },
  ],
  [
    'an image that does not exist',
    'run',
    { imageOf: () => ({ image: 'not/there:1' }) },
    {
      phase: 'waiting',
      problem: { reason: 'image_error', detail: expect.stringContaining('not/there') },
    },
  ],
  [
    'an eviction',
    'run',
    {
      act: ({ namespace: { admin, name: namespace } }) =>
        admin.createNamespacedPodEviction({
          name: POD,
          namespace,
          body: { metadata: { name: POD } },
        }),
    },
    { phase: 'ended', exitCode: 0, cause: 'evicted' },
  ],
  [
    'a deletion by another client',
    'run',
    {
      act: ({ namespace: { admin, name: namespace } }) =>
        admin.deleteNamespacedPod({ name: POD, namespace }),
    },
    { phase: 'ended', exitCode: 0, cause: 'lost' },
  ],
  [
    'a deletion by force',
    'run',
    {
      act: ({ namespace: { admin, name: namespace } }) =>
        admin.deleteNamespacedPod({ name: POD, namespace, gracePeriodSeconds: 0 }),
    },
    { phase: 'ended', cause: 'lost' },
  ],
];

test.concurrent.each(CASES)('%s is reported as what it is', async (_, program, options, last) => {
  await using opened = await openTestLauncher(SCRIPTS, options);
  const { launcher } = opened;
  await launcher.start(launch(program, options.resources));
  if (options.act) {
    // Before it prints its line, the program does not handle SIGTERM.
    for await (const { line } of launcher.logs('a1', { follow: true })) if (line === 'up') break;
    await options.act(opened);
  }
  // A pod on its way may have a problem that passes, such as a node that is busy.
  const isLast = (workload: Workload) =>
    workload.phase === 'ended' || (last.phase === 'waiting' && hasProblem(workload));
  expect(await until(opened, isLast)).toMatchObject(last);
});

test('a pod for which no node has room waits, reports why, and can be stopped', async () => {
  await using opened = await openTestLauncher(SCRIPTS);
  const { launcher, namespace } = opened;
  await namespace.admin.deleteNamespacedLimitRange({ name: 'agents', namespace: namespace.name });
  await launcher.start(launch('run', { cpu: ['19', '19'], memory: ['1Gi', '1Gi'] }));
  expect(await until(opened, hasProblem)).toMatchObject({
    problem: { reason: 'no_capacity', detail: expect.stringContaining('Insufficient cpu') },
  });
  await launcher.stop('a1', 10);
  expect(await until(opened, ({ phase }) => phase === 'ended')).toEqual({
    phase: 'ended',
    exitCode: null,
  });
});

test('a pod without its secret waits, and gets the secret when its agent is started again', async () => {
  await using opened = await openTestLauncher(SCRIPTS);
  const { launcher, namespace } = opened;
  await refuseSecrets(namespace);
  const agent = launch('run');
  await expect(launcher.start(agent)).rejects.toMatchObject({
    name: 'LaunchDelayed',
    reason: 'no_capacity',
  });
  expect(await until(opened, hasProblem)).toMatchObject({
    problem: {
      reason: 'bad_configuration',
      detail: expect.stringContaining('secret "agent-a1" not found'),
    },
  });
  await namespace.admin.deleteNamespacedResourceQuota({ name: 'none', namespace: namespace.name });
  await expect.poll(() => launcher.start(agent).catch(String)).toBeUndefined();
  await until(opened, ({ phase }) => phase === 'running');
});

test('a pod that never gets its secret ends after a while, and can be removed', async () => {
  await using opened = await openTestLauncher(SCRIPTS, { creationTimeoutMs: 1000 });
  const { launcher, namespace } = opened;
  await refuseSecrets(namespace);
  await expect(launcher.start(launch('run'))).rejects.toThrow('exceeded quota');
  expect(await until(opened, ({ phase }) => phase === 'ended')).toMatchObject({
    exitCode: null,
    cause: 'bad_configuration',
  });
  await launcher.remove('a1');
  await until(opened, ({ phase }) => phase === 'absent');
  const { items } = await namespace.admin.listNamespacedPod({ namespace: namespace.name });
  expect(items).toEqual([]);
});

function hasProblem(workload: Workload): boolean {
  return workload.phase === 'waiting' && workload.problem !== undefined;
}

async function refuseSecrets({ admin, name: namespace }: TestNamespace): Promise<void> {
  const body = { metadata: { name: 'none' }, spec: { hard: { secrets: '0' } } };
  await admin.createNamespacedResourceQuota({ namespace, body });
  const find = async () => await admin.readNamespacedResourceQuota({ name: 'none', namespace });
  await expect.poll(async () => (await find()).status?.hard).toEqual({ secrets: '0' });
}

function launch(
  program: string,
  resources: LaunchRequest['role']['resources'] = small,
): LaunchRequest {
  const texts = { name: program, title: program, description: program, image: program };
  const reads = { conversation: 'none', variables: [] } as const;
  const role = { ...texts, ...reads, program, resources, restart: 'never' } as const;
  return {
    workloadId: 'a1',
    agentId: 'a1',
    sessionId: 's1',
    projectId: 'p1',
    role,
    templateVariables: {},
    env: {},
  };
}

/** Waits until the workload of the only agent fulfils `condition`. */
async function until(
  { launcher }: TestLauncher,
  condition: (workload: Workload) => boolean,
): Promise<Workload> {
  const seen: AgentObservation[] = [];
  for await (const observation of launcher.observe(AbortSignal.timeout(60_000))) {
    seen.push(observation);
    if (observation.type === 'workload' && condition(observation.workload)) {
      return observation.workload;
    }
  }
  throw new Error(`not seen: ${JSON.stringify(seen)}`);
}
