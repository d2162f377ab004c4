import { hasRedis } from '@session/testing';
import { expect, test } from 'vitest';
import { hasBalancer } from './balancer.ts';
import { readOptions } from './options.ts';
import { runChaos } from './run.ts';

test.skipIf(!hasBalancer() || !hasRedis())(
  'two nodes of the media server and their Redis, killed and drained: nothing is lost outside of gaps',
  { timeout: 400_000 },
  async () => {
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
          '--media-nodes',
          '2',
          '--faults',
          'kill-media,drain-media,kill-redis',
        ]),
        durationMs: 20_000,
        everyMs: 5000,
        folder: 'chaos-nodes-test',
      },
      (line) => void lines.push(line),
      new AbortController().signal,
    );
    expect(check.faults.length === 0 ? '' : [...check.faults, ...lines].join('\n')).toBe('');
    expect(faultCount).toBeGreaterThan(0);
    expect(check.received).toBeGreaterThan(0);
  },
);
