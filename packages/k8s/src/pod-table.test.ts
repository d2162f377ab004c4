import type { AgentObservation } from '@session/agents';
import { startVirtualTime } from '@session/testing/virtual-time';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Pod } from './pod.ts';
import { AGENT_ID } from './pod-spec.ts';
import { PodTable } from './pod-table.ts';

type Status = Pod['status'];

const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
const running: Status = {
  phase: 'Running',
  containerStatuses: [{ name: 'agent', state: { running: {} } }],
};
const failed: Status = {
  phase: 'Failed',
  containerStatuses: [{ name: 'agent', state: { terminated: { exitCode: 3, startedAt: null } } }],
};
const withoutSecret: Status = {
  phase: 'Pending',
  containerStatuses: [
    { name: 'agent', state: { waiting: { reason: 'CreateContainerConfigError' } } },
  ],
};

test('a report of the watch is not undone by the later response to the pod’s creation', async () => {
  const { table, existing } = openTable();
  table.listed([]);
  table.changed(podOf({ phase: 'Pending', conditions: [unscheduled] }));
  table.created(podOf({ phase: 'Pending' }));
  expect(await existing()).toMatchObject([
    { workloadId: 'a1', workload: { phase: 'waiting', problem: { reason: 'no_capacity' } } },
    { type: 'synced' },
  ]);
});

test('nothing is reported before the first list, and only synced without pods', async () => {
  const { table, existing } = openTable();
  const observing = existing();
  table.created(podOf(running));
  expect(await Promise.race([observing, Promise.resolve('nothing yet')])).toBe('nothing yet');
  table.listed([podOf(running)]);
  expect(await observing).toEqual([workloadOf({ phase: 'running' }), { type: 'synced' }]);
});

test('an observer of a table that is disposed of before the first list ends without an observation', async () => {
  const { table, existing } = openTable();
  const observing = existing();
  table[Symbol.dispose]();
  expect(await table.synced).toBe(false);
  expect(await observing).toEqual([]);
});

test('a pod that a list lacks is lost, but not a pod that was created after the list’s request', async () => {
  const { table, existing } = openTable();
  table.listed([podOf(running)]);
  table.listing();
  table.created(podOf(undefined, 'a2'));
  table.listed([]);
  expect(await existing()).toMatchObject([
    { workloadId: 'a1', workload: { phase: 'ended', cause: 'lost' } },
    { workloadId: 'a2', workload: { phase: 'waiting' } },
    { type: 'synced' },
  ]);
  table.listing();
  table.listed([]);
  expect(table.get('a2')?.workload).toMatchObject({ phase: 'ended', cause: 'lost' });
});

test('an end is reported once, and no later report changes it', async () => {
  const { table, reports } = openTable();
  table.listed([podOf(running)]);
  const seen = await reports();
  table.changed(podOf(failed));
  table.changed(podOf(running));
  table.deleted(podOf({ ...failed, reason: 'Evicted' }));
  table.listing();
  table.listed([]);
  // This is the last report, so anything that the earlier changes added precedes it.
  table.changed(podOf(running, 'a2'));
  await expect.poll(() => seen.at(-1)).toMatchObject({ workloadId: 'a2' });
  expect(seen.filter((one) => one.type === 'workload' && one.workloadId === 'a1')).toEqual([
    workloadOf({ phase: 'ended', exitCode: 3 }),
  ]);
  expect(table.get('a1')).toMatchObject({ isDeleted: true, workload: { exitCode: 3 } });
});

test('a removed pod is absent once it is deleted, and not before', async () => {
  const { table } = openTable();
  table.listed([podOf(failed)]);
  const tracked = table.get('a1');
  if (!tracked) throw new Error('the pod is known');
  table.removeOnceDeleted(tracked);
  expect(table.get('a1')).toBe(tracked);
  table.deleted(podOf(failed));
  expect(table.get('a1')).toBeUndefined();
});

test('a pod that is deleted already is absent as soon as it is removed', async () => {
  const { table } = openTable();
  table.listed([podOf(running)]);
  table.deleted(podOf(running));
  const tracked = table.get('a1');
  if (!tracked) throw new Error('the end of the agent is not forgotten');
  table.removeOnceDeleted(tracked);
  expect(table.get('a1')).toBeUndefined();
});

test('reports of another pod with the agent’s id replace the tracked pod; its end does not touch the new one', () => {
  const { table } = openTable();
  table.listed([podOf(failed)]);
  const first = table.get('a1');
  const next = podOf(running, 'a1', 'u2');
  table.changed(next);
  table.deleted(podOf(failed));
  expect(table.get('a1')).not.toBe(first);
  expect(table.get('a1')).toMatchObject({ pod: next, isDeleted: false });
});

test('a pod that is not an agent’s is ignored', () => {
  const { table } = openTable();
  const metadata = { name: 'other', uid: 'u9', resourceVersion: '1' };
  table.listed([{ metadata }]);
  table.changed({ metadata });
  table.deleted({ metadata });
  expect(table.get('other')).toBeUndefined();
});

test('a container that cannot be created ends after the creation timeout, but only for one reason in a row', async () => {
  const { table } = openTable(100);
  table.listed([podOf(withoutSecret)]);
  expect(table.get('a1')?.workload).toMatchObject({ phase: 'waiting' });
  table.changed(podOf(withoutSecret, 'a2', 'u2'));
  table.changed(podOf(running, 'a2', 'u2'));
  await expect
    .poll(() => table.get('a1')?.workload)
    .toMatchObject({ phase: 'ended', cause: 'bad_configuration' });
  expect(table.get('a2')?.workload).toEqual({ phase: 'running' });
});

test('a pod that is being deleted counts as ended a minute after its grace: its node may be gone', async () => {
  startVirtualTime();
  const { table } = openTable();
  table.listed([deletedPod('a1', 10_000), deletedPod('a2', -120_000)]);
  table.listed([deletedPod('a3', 3_600_000), deletedPod('a4', 1_800_000)]);
  table.changed(deletedPod('a3', 0));
  const workloads = () => ['a1', 'a2', 'a3', 'a4'].map((id) => table.get(id)?.workload.phase);
  await vi.advanceTimersByTimeAsync(0);
  expect(workloads()).toEqual(['running', 'ended', 'running', 'running']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(workloads()).toEqual(['running', 'ended', 'ended', 'running']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(workloads()).toEqual(['ended', 'ended', 'ended', 'running']);
  expect(table.get('a1')?.workload).toMatchObject({ phase: 'ended', cause: 'lost' });
});

test('a reader waits until the program has started, has ended, or can no longer start', async () => {
  const { table } = openTable();
  table.listed([podOf(undefined), podOf(undefined, 'a2', 'u2'), podOf(undefined, 'a3', 'u3')]);
  const never = new AbortController().signal;
  const stop = new AbortController();
  const started = ['a1', 'a2', 'unknown'].map((id) => table.untilStarted(id, never));
  const stopped = table.untilStarted('a3', stop.signal);
  table.changed(podOf(running));
  table.deleted(podOf(undefined, 'a2', 'u2'));
  stop.abort();
  await expect(Promise.all([...started, stopped])).resolves.toHaveLength(4);
});

function openTable(creationTimeoutMs = 60_000) {
  const table = new PodTable({ creationTimeoutMs, onFailure: () => {} });
  onTestFinished(() => table[Symbol.dispose]());
  /** Returns the observations up to `synced`. */
  const existing = async () => {
    const seen: AgentObservation[] = [];
    for await (const observation of table.observe(new AbortController().signal)) {
      seen.push(observation);
      if (observation.type === 'synced') break;
    }
    return seen;
  };
  /** Returns a list that grows with each observation after `synced`. */
  const reports = async () => {
    const seen: AgentObservation[] = [];
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const isSynced = Promise.withResolvers<void>();
    void (async () => {
      let hasSynced = false;
      for await (const observation of table.observe(stop.signal)) {
        if (hasSynced) seen.push(observation);
        if (observation.type !== 'synced') continue;
        hasSynced = true;
        isSynced.resolve();
      }
    })();
    await isSynced.promise;
    return seen;
  };
  return { table, existing, reports };
}

function podOf(status: Status, agentId = 'a1', uid = `u-${agentId}`): Pod {
  const labels = { [AGENT_ID]: agentId };
  return { metadata: { name: `agent-${agentId}`, uid, resourceVersion: '1', labels }, status };
}

/** Returns a running pod that is being deleted, and whose grace ends in `graceMs`. */
function deletedPod(agentId: string, graceMs: number): Pod {
  const pod = podOf(running, agentId);
  const deletionTimestamp = new Date(Date.now() + graceMs).toISOString();
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp } };
}

function workloadOf(workload: object) {
  return { type: 'workload', workloadId: 'a1', workload };
}
