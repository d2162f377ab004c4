import { expect, test } from 'vitest';
import { runChaos } from './run.ts';

test('whatever is killed: nothing is lost outside of gaps, stored twice or out of order, and each gap has a message', {
  // Only a stack that does not heal takes so long.
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { check, faultCount } = await runChaos(
    {
      durationMs: 12_000,
      seed: 149,
      rooms: 2,
      rate: 20,
      recorders: 1,
      redundancy: 1,
      greedy: 0,
      apis: 1,
      mediaNodes: 1,
      standby: undefined,
      everyMs: 3000,
      faults: ['kill-recorder', 'kill-api', 'kill-postgres', 'kill-media'],
      formerRecorder: undefined,
      formerApi: undefined,
      folder: 'chaos-test',
    },
    (line) => void lines.push(line),
    new AbortController().signal,
  );
  expect(check.faults.length === 0 ? [] : [...lines, ...check.faults]).toEqual([]);
  expect(faultCount).toBeGreaterThan(0);
  expect(check.received).toBeGreaterThan(0);
});
