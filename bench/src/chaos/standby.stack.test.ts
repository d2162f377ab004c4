import { expect, test } from 'vitest';
import { runChaos } from './run.ts';

test('the primary of the database killed while its synchronous standby is 2 s behind: nothing is lost, and no request is answered with 500', {
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { check, answered, faultCount } = await runChaos(
    {
      durationMs: 4000,
      seed: 5,
      rooms: 1,
      rate: 20,
      recorders: 1,
      redundancy: 1,
      greedy: 0,
      apis: 1,
      mediaNodes: 1,
      standby: 'synchronous',
      // The fault lasts longer than that: it is the only one.
      everyMs: 200,
      faults: ['fail-over'],
      formerRecorder: undefined,
      formerApi: undefined,
      folder: 'chaos-standby-test',
    },
    (line) => void lines.push(line),
    new AbortController().signal,
  );
  expect(check.faults.length === 0 ? [] : [...lines, ...check.faults]).toEqual([]);
  expect(faultCount).toBe(1);
  expect(check.received).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(0);
});
