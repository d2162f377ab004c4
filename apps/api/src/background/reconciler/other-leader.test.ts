import { startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test, vi } from 'vitest';
import { fakeSupervision, agentRow as row } from '../../../testing/supervision.ts';
import { SupervisedAgent } from './supervised-agent.ts';

const startedAt = '2026-11-21T08:00:00.000Z';

beforeEach(() => startVirtualTime(Date.parse(startedAt)));

test('an agent that another leader has seen ready is not given up as late', async () => {
  const { deps, calls } = fakeSupervision({ startTimeoutMs: 1000 }, (name) =>
    name === 'update_agent_state' ? Promise.resolve([]) : undefined,
  );
  await using agent = new SupervisedAgent(deps);
  vi.advanceTimersByTime(1001);
  await agent.reconcile(row({ startedAt }), { phase: 'running' });
  expect(calls).toEqual([]);
});

test('an agent of a role that only the next leader has is not stopped before its start times out', async () => {
  const { deps, calls, details } = fakeSupervision();
  await using agent = new SupervisedAgent(deps);
  const later = row({ role: 'later-agent' });
  const detail = 'The role later-agent does not exist. Start an agent with another role.';
  await expect(agent.reconcile(later, { phase: 'absent' })).rejects.toThrow(detail);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(60_001);
  await agent.reconcile(later, { phase: 'absent' });
  expect([calls, details]).toEqual([['Stopped bad_configuration'], [detail]]);
});
