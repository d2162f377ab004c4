import type { AgentObservation } from '@session/agents';
import { expect, test } from 'vitest';
import type { Pod } from './pod.ts';
import { AGENT_ID } from './pod-spec.ts';
import { PodTable } from './pod-table.ts';

function podOf(status: Pod['status']): Pod {
  const metadata = {
    name: 'agent-a1',
    uid: 'u1',
    resourceVersion: '1',
    labels: { [AGENT_ID]: 'a1' },
  };
  return { metadata, status };
}

test('a report of the watch is not undone by the later response to the pod’s creation', async () => {
  using table = new PodTable({ creationTimeoutMs: 60_000, onFailure: () => {} });
  table.listed([]);
  const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
  table.changed(podOf({ phase: 'Pending', conditions: [unscheduled] }));
  table.created(podOf({ phase: 'Pending' }));
  const seen: AgentObservation[] = [];
  for await (const observation of table.observe(new AbortController().signal)) {
    seen.push(observation);
    if (observation.type === 'synced') break;
  }
  expect(seen).toMatchObject([
    { agentId: 'a1', workload: { phase: 'waiting', problem: { reason: 'no_capacity' } } },
    { type: 'synced' },
  ]);
});
