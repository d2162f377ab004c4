import { openDatabase } from '@session/db';
import { Readiness } from '@session/kit';
import { DatabaseProxy } from '@session/testing';
import { expect } from 'vitest';
import { insertAgent } from '../../../testing/agent-log.ts';
import { answeredDatabase, fakeDatabase } from '../../../testing/answered-database.ts';
import { startTestApi } from '../../../testing/api.ts';
import { ownApiTest as test } from '../../../testing/api-test.ts';
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
  const requests = 'session_http_request_duration_seconds_count';
  await expect
    .poll(() => look(server.port))
    .toEqual(
      expect.arrayContaining([
        `${requests}{method="GET",route="/agents/:agentId",status_class="2xx"} 1`,
        `${requests}{method="GET",route="/agents/:agentId",status_class="4xx"} 1`,
        `${requests}{method="any",route="unknown",status_class="4xx"} 1`,
        'session_agents{status="Starting"} 1',
        'session_agents{status="Running"} 0',
        'session_database_up 1',
        'session_active_sessions 1',
        expect.stringMatching(/^session_unrecorded_sessions\{state="waiting"\} \d$/),
        'session_under_recorded_sessions 0',
        'session_unclaimed_slots 1',
        'session_recorders{state="live"} 0',
        expect.stringMatching(/^session_clock_offset_seconds -?\d+(\.\d+)?(e-\d+)?$/),
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
  const lines = await look(server.port);
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
  await expect.poll(() => look(server.port)).toContain('session_database_up 1');
  databaseProxy.silenceOpenConnections();
  const lines = await look(server.port);
  expect(lines).toContain('session_database_up 0');
  expect(lines).toContain('session_passwords_waiting 0');
  const isOfDatabase =
    /^session_(agents|\w+_sessions|unclaimed_slots|recorders|clock_offset_seconds)\b/;
  expect(lines.filter((line) => isOfDatabase.test(line))).toEqual([]);
  await databaseProxy.refuseConnections();
  expect(await look(server.port)).toContain('session_database_up 0');
  await databaseProxy.acceptConnections();
  await expect
    .poll(() => look(server.port))
    .toEqual(
      expect.arrayContaining([
        'session_database_up 1',
        expect.stringMatching(/^session_active_sessions \d+$/),
      ]),
    );
});

test('while every connection of the pool is busy, the database is up, and its clock is known', async ({
  api,
}) => {
  const { deps } = api;
  const database = answeredDatabase(deps.database, (name) =>
    name === 'count_connections' ? new Promise<never>(() => {}) : undefined,
  );
  const reserved = fakeDatabase(async () => [{ nowMs: Date.now() - 3_600_000 }]);
  const readiness = new Readiness();
  await using server = await serveMetrics({ ...deps, database, reserved, readiness });
  const lines = await look(server.port);
  expect(lines).toContain('session_database_up 1');
  expect(lines.filter((line) => line.startsWith('session_database_connections{'))).toEqual([]);
  const offset = lines.find((line) => line.startsWith('session_clock_offset_seconds '));
  expect(Math.round(Number(offset?.split(' ')[1]) / 60)).toBe(60);
  expect(lines).toContainEqual(
    expect.stringMatching(/^session_database_answer_seconds (1\.[4-9]|[2-9]|\d\d)/),
  );
});

test('an unrecorded session counts; while its slots cannot be counted, its figure is absent', async ({
  api,
  ana,
  database,
}) => {
  await using server = await serveMetrics({ ...api.deps, readiness: new Readiness() });
  const sessionId = await api.createSession(ana);
  await using other = openDatabase(database.url);
  await other.sql`update sessions set created_at = now() - interval '16 s' where id = ${sessionId}`;
  await other.sql.begin(async (sql) => {
    await sql`set local idle_in_transaction_session_timeout = 0`;
    await sql`lock table recording_assignments in access exclusive mode`;
    const lines = await look(server.port);
    expect(lines.filter((line) => line.startsWith('session_unrecorded_sessions{'))).toEqual([]);
    await expect.poll(() => look(server.port)).toContain('session_database_up 1');
  });
  const unrecorded = /^session_unrecorded_sessions\{state="waiting"\} [1-9]$/;
  await expect
    .poll(() => look(server.port))
    .toEqual(expect.arrayContaining([expect.stringMatching(unrecorded)]));
});

test('a count that does not come in time is absent alone', async ({ api }) => {
  const database = answeredDatabase(api.deps.database, (name) =>
    name === 'count_recording' ? new Promise<never>(() => {}) : undefined,
  );
  const sources = { ...api.deps, database, readiness: new Readiness() };
  await using server = await serveMetrics(sources);
  await expect
    .poll(() => look(server.port))
    .toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^session_agents\{status="Starting"\} \d+$/),
        'session_recorders{state="live"} 0',
      ]),
    );
  const lines = await look(server.port);
  const ofRecording = /^session_(?!webhook|search|sequence)(\w+_sessions|unclaimed_slots)\b/;
  expect(lines.filter((line) => ofRecording.test(line))).toEqual([]);
});

async function look(port: number): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return (await response.text()).split('\n');
}
