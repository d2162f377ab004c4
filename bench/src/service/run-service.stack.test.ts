import path from 'node:path';
import type { Progress } from '@session/local';
import { expect, test } from 'vitest';
import { reportOf } from './report.ts';
import { runService } from './run-service.ts';

const folder = path.resolve(import.meta.dirname, '../../../.cache/bench-service-test');

test('a load that is stopped early reports what was said, answered, read and stored until then', {
  // Only a machine that is much too slow takes so long.
  timeout: 300_000,
}, async () => {
  const stop = new AbortController();
  const progress: Progress = {
    say: () => {},
    during: async (_, work) =>
      await work((detail) => {
        const answered = / (\d+) answered/.exec(detail)?.[1];
        if (Number(answered) >= 2) stop.abort();
      }),
  };
  const load = { rooms: 2, agents: 1, rate: 4, loginsPerMinute: 120, durationMs: 200_000 };
  const forceStop = new AbortController().signal;
  const options = { ...load, folder, progress, sampleMs: 200, stop: stop.signal, forceStop };
  const result = await runService(options);
  const { load: got, check, logins } = result;
  expect(check.faults).toEqual([]);
  expect(result.elapsedMs).toBeLessThan(load.durationMs);
  expect(check.stored).toBeGreaterThanOrEqual(got.said + got.answered.count);
  const times = [got.readable, got.answered, logins.latencies];
  expect(times.map(({ count }) => count > 0)).toEqual([true, true, true]);
  expect(result).toMatchObject({ lost: 0, mostSpoolBytes: expect.any(Number) });
  const names = result.usages.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['api', 'media', 'postgres', 'recorder-1', 'recorder-2', 'agents']),
  );
  expect(reportOf(result)).toContain('wrong 0');
});
