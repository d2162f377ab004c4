import { expect, test } from 'vitest';
import { hasBalancer } from './balancer.ts';
import { runChaos } from './run.ts';

test.skipIf(!hasBalancer())(
  'three APIs behind HAProxy, restarted one after another: no request of long polls or the console fails, no followed log breaks, and nothing is lost',
  { timeout: 400_000 },
  async () => {
    const lines: string[] = [];
    const { check, answered, faultCount } = await runChaos(
      {
        durationMs: 20_000,
        seed: 3,
        rooms: 1,
        rate: 10,
        recorders: 1,
        redundancy: 1,
        greedy: 0,
        apis: 3,
        mediaNodes: 1,
        standby: undefined,
        everyMs: 1000,
        faults: ['restart-apis'],
        formerRecorder: undefined,
        formerApi: undefined,
        folder: 'chaos-apis-test',
      },
      (line) => void lines.push(line),
      new AbortController().signal,
    );
    expect(check.faults.length === 0 ? [] : [...lines, ...check.faults]).toEqual([]);
    expect(faultCount).toBeGreaterThan(0);
    expect(answered).toBeGreaterThan(100);
  },
);
