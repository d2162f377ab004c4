import { expect, test } from 'vitest';
import { readOptions } from './options.ts';
import { runChaos } from './run.ts';

test('the primary of the database killed while its synchronous standby is 2 s behind: nothing is lost, and no request is answered with 500', {
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { check, answered, faultCount } = await runChaos(
    {
      ...readOptions(['--seed', '5', '--rooms', '1', '--rate', '20', '--standby', 'synchronous']),
      durationMs: 4000,
      // The first fault lasts until the end of the run, so it is the only one.
      everyMs: 200,
      folder: 'chaos-standby-test',
    },
    (line) => void lines.push(line),
    new AbortController().signal,
  );
  expect(check.faults.length === 0 ? '' : [...check.faults, ...lines].join('\n')).toBe('');
  expect(faultCount).toBe(1);
  expect(check.received).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(0);
});
