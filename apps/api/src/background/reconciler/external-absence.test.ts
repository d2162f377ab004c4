import { startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import { agentRow, fakeSupervision } from '../../../testing/supervision.ts';
import { ExternalAgent } from './external-agent.ts';

const CREATED = Date.parse(agentRow().createdAt);
const LIMITS = { externalPollMs: 2000, externalGraceMs: 0, externalWaitMs: 600_000 };

/** Returns the row of an external agent as it is read so long after its request. */
function rowAfter(ms: number, change: Parameters<typeof agentRow>[0] = {}) {
  return agentRow({ role: 'external', nowMs: CREATED + ms, ...change });
}

test('an agent that has not joined gets all its time when the clock of this process is ahead', async () => {
  startVirtualTime(CREATED + 600_000);
  const { deps, calls } = fakeSupervision(LIMITS);
  await using early = new ExternalAgent(deps);
  await early.reconcile(rowAfter(599_999));
  expect(calls).toEqual([]);
  await using late = new ExternalAgent(deps);
  await late.reconcile(rowAfter(600_000));
  expect(calls[0]).toBe('Stopped never_joined');
});
