import type { Agent } from '@session/contract';
import { kubectl, testCluster } from '@session/testing';
import { expect, test } from 'vitest';
import { openPods, podsIn, type TestPods } from '../../../testing/pods.ts';

interface Case {
  /** The image of the light agent. */
  readonly image?: string;
  /** What happens to the pod once its agent is Running. */
  readonly act?: (pods: TestPods, pod: string) => Promise<unknown>;
}

const isOwn = testCluster().own !== undefined;
const text = (part: string) => expect.stringContaining(part);

const ENDS: readonly (readonly [name: string, Case, Partial<Agent>])[] = [
  [
    'it is drained',
    {
      act: async ({ namespace: { admin, name: namespace } }, name) => {
        const body = { metadata: { name } };
        await admin.createNamespacedPodEviction({ name, namespace, body });
      },
    },
    { reason: 'evicted', exitCode: 0 },
  ],
  [
    'its pod is deleted by another client',
    {
      act: async ({ namespace: { admin, name: namespace } }, name) =>
        await admin.deleteNamespacedPod({ name, namespace }),
    },
    { reason: 'lost', exitCode: 0 },
  ],
  [
    'the cluster ends it at its deadline',
    {
      act: async ({ namespace: { name } }, pod) => {
        const patch = JSON.stringify({ spec: { activeDeadlineSeconds: 1 } });
        await kubectl('patch', 'pod', pod, '--namespace', name, '--patch', patch);
      },
    },
    { reason: 'max_duration' },
  ],
  ['it ends by itself', { image: 'node:26-alpine' }, { reason: 'completed', exitCode: 0 }],
  [
    'the name of its image is not valid',
    { image: 'Not:A:Name' },
    { reason: 'bad_configuration', exitCode: null, detail: text('InvalidImageName') },
  ],
];

const OWN_ENDS: typeof ENDS = [
  [
    'it uses too much memory',
    { image: 'test/gorge:1' },
    { reason: 'out_of_memory', exitCode: 137 },
  ],
  [
    'its program is not in its image',
    { image: 'test/none:1' },
    { reason: 'bad_configuration', exitCode: 128, detail: text('/no/such/program') },
  ],
];

test.each([...ENDS, ...(isOwn ? OWN_ENDS : [])])(
  'the API says why an agent has stopped when %s, and its pod is deleted',
  async (_, { image, act }, end) => {
    await using pods = await openPods({
      env: image === undefined ? {} : { AGENT_IMAGES: `light-agent=${image}` },
    });
    const { agents, namespace } = pods;
    await agents.open();
    const { id } = await agents.start(image === undefined ? 'echo-agent' : 'light-agent');
    if (act) {
      await agents.until(id, 'Running');
      await act(pods, `agent-${id}`);
    }
    expect(await agents.until(id, 'Stopped')).toMatchObject(end);
    await expect.poll(() => podsIn(namespace)).toEqual([]);
  },
);

test.runIf(isOwn)(
  'the API says `no_capacity` when no node takes the pod in time, and the pod is deleted',
  async () => {
    await using stack = new AsyncDisposableStack();
    const { agents, namespace } = stack.use(await openPods({ limits: { startTimeoutMs: 10_000 } }));
    const node = (await kubectl('get', 'nodes', '--output', 'name')).trim();
    stack.defer(async () => void (await kubectl('uncordon', node)));
    await kubectl('cordon', node);
    await agents.open();
    const { id } = await agents.start();
    expect(await agents.until(id, 'Stopped')).toMatchObject({
      reason: 'no_capacity',
      exitCode: null,
      detail: text('unschedulable'),
    });
    await expect.poll(() => podsIn(namespace)).toEqual([]);
  },
);
