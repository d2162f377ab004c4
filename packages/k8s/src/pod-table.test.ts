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

test('what the watch has told of a pod is not undone by the later answer to whoever made it', async () => {
  using table = new PodTable({ creationPatienceMs: 60_000, onFailure: () => {} });
  table.listed([]);
  const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
  table.changed(podOf({ phase: 'Pending', conditions: [unscheduled] }));
  table.made(podOf({ phase: 'Pending' }));
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
