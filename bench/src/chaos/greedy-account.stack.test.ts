import { expect, test } from 'vitest';
import { runChaos } from './run.ts';

test('an account with 30 sessions floods two of them while the recorder is killed: others lose nothing outside of gaps', {
  // Only a stack that does not heal takes so long.
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { check, faultCount } = await runChaos(
    {
      durationMs: 12_000,
      seed: 7,
      rooms: 2,
      rate: 20,
      recorders: 1,
      redundancy: 1,
      greedy: 30,
      apis: 1,
      mediaNodes: 1,
      standby: undefined,
      everyMs: 5000,
      faults: ['kill-recorder'],
      formerRecorder: undefined,
      formerApi: undefined,
      folder: 'chaos-greedy-test',
    },
    (line) => void lines.push(line),
    new AbortController().signal,
  );
  expect(check.faults.length === 0 ? [] : [...lines, ...check.faults]).toEqual([]);
  expect(faultCount).toBeGreaterThan(0);
  expect(check.received).toBeGreaterThan(0);
  expect(lines.join()).toMatch(/greedy account: 30 sessions, \d{4,} messages sent, \d+ refused/);
});
