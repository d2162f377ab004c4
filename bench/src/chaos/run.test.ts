import { expect, test } from 'vitest';
import { runChaos } from './run.ts';

test('whatever is killed: nothing is lost outside of gaps, doubled or out of order, and each gap is told', {
  // Only a stack that does not heal takes so long.
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { verdict, troubles } = await runChaos(
    {
      durationMs: 12_000,
      seed: 149,
      rooms: 2,
      rate: 20,
      recorders: 1,
      redundancy: 1,
      everyMs: 3000,
      faults: ['kill-recorder', 'kill-api', 'kill-postgres', 'kill-media'],
      folder: 'chaos-test',
    },
    (line) => void lines.push(line),
    new AbortController().signal,
  );
  expect(verdict.faults.length === 0 ? [] : [...lines, ...verdict.faults]).toEqual([]);
  expect(troubles).toBeGreaterThan(0);
  expect(verdict.heard).toBeGreaterThan(0);
});
