import { expect, test } from 'vitest';
import { hasBalancer } from './balancer.ts';
import { readOptions } from './options.ts';
import { runChaos } from './run.ts';

test.skipIf(!hasBalancer())(
  'three APIs behind HAProxy, restarted one after another: no request of long polls or the console fails, no followed log breaks, streams have what the history has, and nothing is lost',
  { timeout: 400_000 },
  async () => {
    const lines: string[] = [];
    const { check, answered, faultCount } = await runChaos(
      {
        ...readOptions([
          '--seed',
          '3',
          '--rooms',
          '1',
          '--rate',
          '10',
          '--apis',
          '3',
          '--faults',
          'restart-apis',
        ]),
        durationMs: 20_000,
        everyMs: 1000,
        folder: 'chaos-apis-test',
      },
      (line) => void lines.push(line),
      new AbortController().signal,
    );
    expect(check.faults.length === 0 ? '' : [...check.faults, ...lines].join('\n')).toBe('');
    expect(faultCount).toBeGreaterThan(0);
    expect(answered).toBeGreaterThan(100);
  },
);
