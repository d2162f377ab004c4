import { Readiness } from '@session/kit';
import { compareWithMetricsPage } from '@session/testing';
import { expect } from 'vitest';
import { insertAgent } from '../../../testing/agent-log.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { serveMetrics } from './serve-metrics.ts';

test('docs/metrics.md describes exactly what the API serves', async ({ api, ana }) => {
  await using server = await serveMetrics({ ...api.deps, readiness: new Readiness() });
  await api.inject(ana, { url: `/agents/${await insertAgent(api, ana, 0)}` });
  const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  const sections = ['API', 'Whole service', 'Every process'] as const;
  const { served, documented } = await compareWithMetricsPage(await response.text(), sections);
  expect(served).toEqual(documented);
});
