import { expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { runChaos } from './run.ts';

test('an account with 30 sessions floods two of them while the recorder is killed: others lose nothing outside of gaps', {
  // Only a stack that does not heal takes so long.
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { check, faultCount } = await runChaos(
    {
      ...readOptions([
        '--seed',
        '7',
        '--rooms',
        '2',
        '--rate',
        '20',
        '--greedy',
        '30',
        '--faults',
        'kill-recorder',
      ]),
      durationMs: 12_000,
      everyMs: 5000,
      folder: 'chaos-greedy-test',
    },
    (line) => void lines.push(line),
    new AbortController().signal,
  );
  expect(check.faults.length === 0 ? '' : [...check.faults, ...lines].join('\n')).toBe('');
  expect(faultCount).toBeGreaterThan(0);
  expect(check.received).toBeGreaterThan(0);
  expect(lines.join()).toMatch(/greedy account: 30 sessions, \d{4,} messages sent, \d+ refused/);
});
