import { expect, test } from 'vitest';
import { hasBalancer } from './balancer.ts';
import { hasRedis } from './media-nodes.ts';
import { runChaos } from './run.ts';

test.skipIf(!hasBalancer() || !hasRedis())(
  'two nodes of the media server and their Redis, killed and drained: nothing is lost outside of gaps',
  { timeout: 400_000 },
  async () => {
    const lines: string[] = [];
    const { check, faultCount } = await runChaos(
      {
        durationMs: 20_000,
        seed: 7,
        rooms: 2,
        rate: 20,
        recorders: 1,
        redundancy: 1,
        greedy: 0,
        apis: 1,
        mediaNodes: 2,
        standby: undefined,
        everyMs: 5000,
        faults: ['kill-media', 'drain-media', 'kill-redis'],
        formerRecorder: undefined,
        formerApi: undefined,
        folder: 'chaos-nodes-test',
      },
      (line) => void lines.push(line),
      new AbortController().signal,
    );
    expect(check.faults.length === 0 ? [] : [...lines, ...check.faults]).toEqual([]);
    expect(faultCount).toBeGreaterThan(0);
    expect(check.received).toBeGreaterThan(0);
  },
);
