import { expect, test } from 'vitest';
import { containerState, hasStarted, Pod, startTimesOf } from './pod.ts';

const metadata = { name: 'agent-1', uid: 'u', resourceVersion: '1' };
const scheduledAt = '2026-11-21T10:00:00Z';
const startedAt = '2026-11-21T10:00:02Z';
const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: scheduledAt };

test('what we do not read of a pod is dropped', () => {
  const spec = { containers: [{ env: [{ name: 'KEY', value: 'hunter2' }] }] };
  const pod = Pod.parse({ metadata: { ...metadata, annotations: { a: 'b' } }, spec, status: {} });
  expect(pod).toEqual({ metadata, status: {} });
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['no metadata', {}],
  ['no uid', { metadata: { name: 'a', resourceVersion: '1' } }],
  ['a label that is not a text', { metadata: { ...metadata, labels: { a: 1 } } }],
])('an object with %s is not a pod', (_, object) => {
  expect(Pod.safeParse(object).success).toBe(false);
});

test.each<[string, NonNullable<Pod['status']>, boolean, object]>([
  ['new', {}, false, {}],
  ['without a node', { conditions: [{ ...scheduled, status: 'False' }] }, false, {}],
  ['with a node', { conditions: [scheduled] }, false, { scheduledAt }],
  [
    'with a node since an unknown time',
    { conditions: [{ ...scheduled, lastTransitionTime: null }] },
    false,
    {},
  ],
  [
    'waiting, beside a container that the cluster added',
    {
      containerStatuses: [
        { name: 'a-proxy', state: { running: { startedAt } } },
        { name: 'agent', state: { waiting: { reason: 'ContainerCreating' } } },
      ],
    },
    false,
    {},
  ],
  [
    'running',
    {
      conditions: [scheduled],
      containerStatuses: [{ name: 'agent', state: { running: { startedAt } } }],
    },
    true,
    { scheduledAt, programStartedAt: startedAt },
  ],
  [
    'ended',
    { containerStatuses: [{ name: 'agent', state: { terminated: { exitCode: 0, startedAt } } }] },
    true,
    { programStartedAt: startedAt },
  ],
  [
    'ended without ever running',
    {
      containerStatuses: [
        { name: 'agent', state: { terminated: { exitCode: 128, startedAt: null } } },
      ],
    },
    true,
    {},
  ],
  ['with a container without a state', { containerStatuses: [{ name: 'agent' }] }, false, {}],
])('a pod that is %s has the start times that are known', (_, status, started, times) => {
  const pod = Pod.parse({ metadata, status });
  expect(hasStarted(pod)).toBe(started);
  expect(startTimesOf(pod)).toEqual(times);
});

test('a pod without a status has no container', () => {
  expect(containerState(Pod.parse({ metadata }))).toEqual({});
});
