import { expect, test } from 'vitest';
import type { Pod } from './pod.ts';
import { type PodState, workloadOf } from './pod-status.ts';

type Status = NonNullable<Pod['status']>;
type Containers = Pick<Status, 'containerStatuses'>;
type State = NonNullable<NonNullable<Status['containerStatuses']>[number]['state']>;

const metadata = { name: 'agent-1', uid: 'u', resourceVersion: '1' };
const deleted = { ...metadata, deletionTimestamp: '2026-11-21T10:00:00Z' };
const disrupted = {
  conditions: [
    {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'drained',
    },
  ],
};

const exited = (exitCode: number, reason = 'Error', message?: string) =>
  container({ terminated: { exitCode, reason, message } });
const waits = (reason: string, message?: string) => container({ waiting: { reason, message } });
const failed = { phase: 'Failed' };
const running = { phase: 'Running', ...container({ running: {} }) };
const ended = (exitCode: number | null, cause?: string, detail?: string) => ({
  phase: 'ended',
  exitCode,
  ...(cause && { cause }),
  ...(detail && { detail }),
});
const waiting = (reason: string, detail: string) => ({
  phase: 'waiting',
  problem: { reason, detail },
});
const OOM = 'The agent used more memory than its limit.';
const DELETED = 'The agent’s pod was deleted in the cluster.';
const DEADLINE = 'The cluster ended the agent: it ran for the longest time allowed.';

type Case = readonly [name: string, state: Partial<PodState>, workload: unknown];

const CASES: readonly Case[] = [
  ['new', seen({}), { phase: 'waiting' }],
  [
    'being created',
    seen({ phase: 'Pending', ...waits('ContainerCreating') }),
    { phase: 'waiting' },
  ],
  ['running', seen(running), { phase: 'running' }],
  [
    'its container has ended, but its pod has not',
    seen({ phase: 'Running', ...exited(1) }),
    { phase: 'running' },
  ],
  [
    'its container has ended, and another that the cluster added runs on',
    seen({ phase: 'Running', ...withOther({ running: {} }, exited(3)) }),
    ended(3),
  ],
  [
    'its container runs, and another that the cluster added has ended',
    seen({ ...running, ...withOther({ terminated: { exitCode: 1, startedAt: null } }, running) }),
    { phase: 'running' },
  ],
  ['exit 0', seen({ phase: 'Succeeded', ...exited(0, 'Completed') }), ended(0)],
  [
    'exit 3, without the last words, which are in its log',
    seen({ ...failed, ...exited(3, 'Error', 'hunter2') }),
    ended(3),
  ],
  [
    'stopped by us',
    { ...seen({ ...failed, ...exited(143) }, deleted), isStopping: true, isDeleted: true },
    ended(143),
  ],
  [
    'stopped by us before it ran',
    { ...seen({ phase: 'Pending' }, deleted), isStopping: true, isDeleted: true },
    ended(null),
  ],
  [
    'drained, exit 0',
    { ...seen({ phase: 'Succeeded', ...exited(0), ...disrupted }, deleted), isDeleted: true },
    ended(0, 'evicted', 'EvictionByEvictionAPI: drained'),
  ],
  [
    'to be drained, and still running',
    seen({ ...running, ...disrupted }, deleted),
    { phase: 'running' },
  ],
  [
    'evicted by its node',
    seen({ ...failed, reason: 'Evicted', message: 'low on memory' }),
    ended(null, 'evicted', 'Evicted: low on memory'),
  ],
  ['preempted', seen({ ...failed, reason: 'Preempting' }), ended(null, 'evicted', 'Preempting')],
  [
    'its node was shut down',
    seen({ ...failed, reason: 'Terminated' }),
    ended(null, 'evicted', 'Terminated'),
  ],
  [
    'past its deadline',
    seen({ ...failed, reason: 'DeadlineExceeded', ...exited(143) }),
    ended(143, 'max_duration', DEADLINE),
  ],
  [
    'out of memory',
    seen({ ...failed, ...exited(137, 'OOMKilled') }),
    ended(137, 'out_of_memory', OOM),
  ],
  [
    'no such program',
    seen({ ...failed, ...exited(128, 'StartError', 'no such file') }),
    ended(128, 'bad_configuration', 'StartError: no such file'),
  ],
  [
    'cannot run',
    seen({ ...failed, ...exited(128, 'ContainerCannotRun', 'denied') }),
    ended(128, 'bad_configuration', 'ContainerCannotRun: denied'),
  ],
  [
    'its node had no room',
    seen({ ...failed, reason: 'OutOfcpu' }),
    ended(null, 'no_capacity', 'OutOfcpu'),
  ],
  [
    'its node refused it',
    seen({ ...failed, reason: 'UnexpectedAdmissionError', message: 'm' }),
    ended(null, 'lost', 'UnexpectedAdmissionError: m'),
  ],
  [
    'its node has forgotten it',
    seen({ ...failed, ...exited(137, 'ContainerStatusUnknown') }),
    ended(null, 'lost'),
  ],
  [
    'the name of its image is not valid',
    seen({ phase: 'Pending', ...waits('InvalidImageName', 'parse') }),
    ended(null, 'bad_configuration', 'InvalidImageName: parse'),
  ],
  [
    'its secret is missing',
    seen({ phase: 'Pending', ...waits('CreateContainerConfigError', 's') }),
    waiting('bad_configuration', 'CreateContainerConfigError: s'),
  ],
  ...['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError'].map(
    (reason): Case => [
      `${reason} for too long`,
      { ...seen({ phase: 'Pending', ...waits(reason, 'm') }), isOverdue: true },
      ended(null, 'bad_configuration', `${reason}: m`),
    ],
  ),
  ...['ErrImagePull', 'ImagePullBackOff'].map(
    (reason): Case => [
      reason,
      { ...seen({ phase: 'Pending', ...waits(reason, 'm') }), isOverdue: true },
      waiting('image_error', `${reason}: m`),
    ],
  ),
  [
    'no node has room',
    seen({
      phase: 'Pending',
      conditions: [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1' },
      ],
    }),
    waiting('no_capacity', 'Unschedulable: 0/1'),
  ],
  [
    'deleted by another client while it ran',
    { ...seen({ phase: 'Succeeded', ...exited(0) }, deleted), isDeleted: true },
    ended(0, 'lost', DELETED),
  ],
  ['deleted by force', { ...seen(running), isDeleted: true }, ended(null, 'lost', DELETED)],
  [
    'evicted from a node that does not answer',
    { ...seen({ ...running, ...disrupted }, deleted), isGivenUp: true },
    ended(null, 'evicted', 'EvictionByEvictionAPI: drained'),
  ],
  [
    'deleted on a node that does not answer',
    { ...seen(running, deleted), isGivenUp: true },
    ended(null, 'lost', DELETED),
  ],
  [
    'stopped by us on a node that does not answer',
    { ...seen(running, deleted), isStopping: true, isGivenUp: true },
    ended(null),
  ],
  ['deleted after its end', { ...seen({ ...failed, ...exited(3) }), isDeleted: true }, ended(3)],
];

test.each(CASES)('%s', (_, state, workload) => {
  const plain = { isDeleted: false, isStopping: false, isOverdue: false, isGivenUp: false };
  expect(workloadOf({ ...plain, pod: { metadata }, ...state })).toEqual(workload);
});

function seen(status: Status, meta: Pod['metadata'] = metadata): { pod: Pod } {
  return { pod: { metadata: meta, status } };
}

/** Returns the containers of a pod with one more, which a webhook of the cluster added. */
function withOther(state: State, { containerStatuses = [] }: Containers): Containers {
  return { containerStatuses: [{ name: 'a-proxy', state }, ...containerStatuses] };
}

function container(state: State): Containers {
  return { containerStatuses: [{ name: 'agent', state }] };
}
