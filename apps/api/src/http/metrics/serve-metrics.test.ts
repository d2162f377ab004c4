import { Readiness } from '@session/kit';
import { DatabaseProxy } from '@session/testing';
import { expect } from 'vitest';
import { insertAgent } from '../../../testing/agent-log.ts';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { serveMetrics } from './serve-metrics.ts';

test('requests by route and status class, agents, connections, and the state of the process', async ({
  api,
  ana,
}) => {
  await using server = await serveMetrics({ ...api.deps, readiness: new Readiness() });
  const agentId = await insertAgent(api, ana, 0);
  await api.inject(ana, { url: `/agents/${agentId}` });
  await api.app.inject({ url: `/agents/${agentId}` });
  await api.inject(ana, { url: '/nowhere' });
  const lines = await look(server.port);
  const requests = 'session_http_request_duration_seconds_count';
  expect(lines).toEqual(
    expect.arrayContaining([
      `${requests}{method="GET",route="/agents/:agentId",status_class="2xx"} 1`,
      `${requests}{method="GET",route="/agents/:agentId",status_class="4xx"} 1`,
      `${requests}{method="any",route="unknown",status_class="4xx"} 1`,
      'session_agents{status="Starting"} 1',
      'session_agents{status="Running"} 0',
      'session_database_up 1',
      expect.stringMatching(
        /^session_database_statement_duration_seconds_count\{statement="find_agent",result="answered"\} \d+$/,
      ),
      expect.stringMatching(/^session_database_answer_seconds 0\.\d+$/),
      expect.stringMatching(/^session_database_connections\{state="active"\} [1-9]$/),
      'session_passwords_waiting 0',
      'session_waiting_readers 0',
      'session_log_followers 0',
      expect.stringMatching(/^process_resident_memory_bytes \d+$/),
      expect.stringMatching(/^nodejs_eventloop_lag_p99_seconds \d/),
    ]),
  );
  for (const secret of [agentId, ana.id, ana.email, ana.token]) {
    expect(lines.join('\n')).not.toContain(secret);
  }
});

test('metrics are on no public route', async ({ api, ana }) => {
  expect((await api.inject(ana, { url: '/metrics' })).statusCode).toBe(404);
});

test('a silent database is reported as absent, and all other metrics are there', async ({
  database,
}) => {
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using api = await startTestApi(databaseProxy.url);
  await using server = await serveMetrics({ ...api.deps, readiness: new Readiness() });
  expect(await look(server.port)).toContain('session_database_up 1');
  databaseProxy.silenceOpenConnections();
  const lines = await look(server.port);
  expect(lines).toContain('session_database_up 0');
  expect(lines).toContain('session_passwords_waiting 0');
  expect(lines.filter((line) => line.startsWith('session_agents{'))).toEqual([]);
  await databaseProxy.refuseConnections();
});

async function look(port: number): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return (await response.text()).split('\n');
}
