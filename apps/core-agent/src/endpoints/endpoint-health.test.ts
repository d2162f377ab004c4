import type { AgentEvent } from '@session/conversation';
import { expect, test } from 'vitest';
import { EndpointHealth } from './endpoint-health.ts';

test('an endpoint that fails is reported once, tried again until it answers, and reported again', async () => {
  const reports: AgentEvent[] = [];
  let probes = 0;
  await using health = new EndpointHealth({
    reason: 'voice_lost',
    lost: () => 'Lost.',
    recovered: 'Back.',
    probe: async () => {
      probes += 1;
      if (probes < 3) throw new Error('still away');
    },
    report: (event) => void reports.push(event),
    log: () => {},
    retryMs: 5,
  });
  health.failed(new Error('away'));
  health.failed(new Error('away'));
  expect(health.isWorking).toBe(false);
  await expect.poll(() => health.isWorking).toBe(true);
  expect(probes).toBe(3);
  health.failed(new Error('away again'));
  expect(reports).toMatchObject([
    { state: 'degraded', reason: 'voice_lost', message: 'Lost.' },
    { state: 'recovered', message: 'Back.' },
    { state: 'degraded', reason: 'voice_lost', message: 'Lost.' },
  ]);
});
