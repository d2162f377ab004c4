import { Readiness } from '@session/kit';
import {
  compareWithMetricsPage,
  countersWithoutSeries,
  labelValuesIn,
  lintMetrics,
  missingPromtool,
} from '@session/testing';
import { expect } from 'vitest';
import { insertAgent } from '../../../testing/agent-log.ts';
import { ownApiTest as test } from '../../../testing/api-test.ts';
import { serveMetrics } from './serve-metrics.ts';

/** An id, an address, or a word that only the names of this test have. */
const PRIVATE = /[\da-f]{8}-|:\/\/|@|hush/i;

test('docs/metrics.md describes exactly what the API serves, and no label holds an id, a name or an address', async ({
  api,
  ana,
}) => {
  await using server = await serveMetrics({ ...api.deps, readiness: new Readiness() });
  const hush = await api.createUser('hush');
  const created = await api.inject(hush, {
    method: 'POST',
    url: '/projects',
    payload: { name: 'hush, hush' },
  });
  const projectId = String(created.json().id);
  await api.inject(hush, {
    method: 'POST',
    url: `/projects/${projectId}/sessions`,
    payload: { name: 'https://hush.example' },
  });
  const agentId = await insertAgent(api, ana, 0);
  for (const path of ['/agents/', '/sessions/', '/hush/', '/agents/hush?id=']) {
    await api.inject(ana, { url: `${path}${agentId}` });
    await api.inject(ana, { method: 'DELETE', url: `${path}${agentId}` });
  }
  const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  const sections = ['API', 'Whole service', 'Every process'] as const;
  const { served, documented } = await compareWithMetricsPage(text, sections);
  expect(served).toEqual(documented);
  const values = labelValuesIn(text);
  expect(values).toEqual(expect.arrayContaining(['/agents/:agentId', 'find_agent', '2xx', '4xx']));
  expect(values.filter((value) => PRIVATE.test(value))).toEqual([]);
});

test('each counter has its series before its first event', async ({ api }) => {
  await using server = await serveMetrics({ ...api.deps, readiness: new Readiness() });
  const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  expect(text).toContain('session_agent_ends_total{reason=');
  expect(countersWithoutSeries(text)).toEqual([]);
});

const why = missingPromtool();

test(`promtool finds no fault in our names and units${why}`, async ({ api, skip }) => {
  skip(why !== '');
  await using server = await serveMetrics({ ...api.deps, readiness: new Readiness() });
  const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  expect(lintMetrics(text).filter((line) => line.startsWith('session_'))).toEqual([]);
});
