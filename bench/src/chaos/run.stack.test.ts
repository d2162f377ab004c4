import { expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { runChaos } from './run.ts';

test('whatever is killed: nothing is lost outside of gaps, stored twice or out of order, and each gap has a message', {
  // Only a stack that does not heal takes so long.
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { check, faultCount } = await runChaos(
    {
      ...readOptions([
        '--seed',
        '149',
        '--rooms',
        '2',
        '--rate',
        '20',
        '--faults',
        'kill-recorder,kill-api,kill-postgres,kill-media',
      ]),
      durationMs: 12_000,
      everyMs: 3000,
      folder: 'chaos-test',
    },
    (line) => void lines.push(line),
    new AbortController().signal,
  );
  expect(check.faults.length === 0 ? '' : [...check.faults, ...lines].join('\n')).toBe('');
  expect(faultCount).toBeGreaterThan(0);
  expect(check.received).toBeGreaterThan(0);
});
