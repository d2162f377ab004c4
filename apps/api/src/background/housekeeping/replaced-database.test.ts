import { Readiness } from '@session/kit';
import { expect } from 'vitest';
import { ownApiTest as test } from '../../../testing/api-test.ts';
import { spyLog } from '../../../testing/spy-log.ts';
import { serveMetrics } from '../../http/metrics/serve-metrics.ts';
import { watchTimeline } from './replaced-database.ts';

test('a database on another server than before is logged once, and counted', async ({ api }) => {
  const { sql } = api.deps.database;
  const log = spyLog();
  await sql`insert into database_timelines values (0, 7, now() - interval '1 s')`;
  await watchTimeline(api.deps, log);
  await watchTimeline(api.deps, log);
  expect(log.warn.mock.calls).toEqual([
    [
      { systemIdentifier: expect.stringMatching(/^\d+$/), timeline: 1 },
      expect.stringContaining('run after-restore'),
    ],
  ]);
  await using server = await serveMetrics({ ...api.deps, readiness: new Readiness() });
  const page = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  expect(page).toContain('\nsession_database_replacements 1\n');
});
