import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { Readiness } from '@session/kit';
import { createTestDatabase, DatabaseProxy, freePort } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApi } from '../testing/api.ts';
import { startApi } from '../testing/api-process.ts';
import { serveMetrics } from './http/metrics/serve-metrics.ts';

test('ready while the database is away: 200, where /health is 503; not before the start has ended, and on no public route', async () => {
  await using database = await createTestDatabase();
  await using databaseProxy = await DatabaseProxy.open(database.url);
  await using api = await startTestApi(databaseProxy.url);
  const readiness = new Readiness();
  await using server = await serveMetrics({ ...api.deps, readiness });
  expect(await readyStatus(server.port)).toBe(503);
  readiness.ready();
  await databaseProxy.refuseConnections();
  expect((await api.app.inject({ url: '/health' })).statusCode).toBe(503);
  expect(await readyStatus(server.port)).toBe(200);
  expect((await api.app.inject({ url: '/ready' })).statusCode).toBe(401);
});

test('not ready until requests are taken', async () => {
  await using database = await createTestDatabase();
  const starting = await startWithPort(database.url);
  const statuses = new Set<number | undefined>();
  while (!statuses.has(200)) statuses.add(await readyStatus(starting.metricsPort));
  expect((await fetch(starting.url)).status).toBe(200);
  expect([undefined, 503, 200]).toEqual(expect.arrayContaining([...statuses]));
  await using _ = await starting.api;
});

test('SIGTERM: not ready at once, while new requests are taken for DRAIN_DELAY_SECONDS and those under way are answered', async () => {
  await using database = await createTestDatabase();
  const { url, metricsPort, ...starting } = await startWithPort(database.url, {
    DRAIN_DELAY_SECONDS: '60',
  });
  await using api = await starting.api;
  const json = { 'content-type': 'application/json' };
  const account = { email: 'ana@example.org', password: 'correct horse', name: 'Ana' };
  const signedUp = await fetch(new URL('/auth/signup', url), {
    method: 'POST',
    headers: json,
    body: JSON.stringify(account),
  });
  const { token } = Object(await signedUp.json());
  process.kill(api.pid, 'SIGTERM');
  await expect.poll(() => readyStatus(metricsPort)).toBe(503);
  expect((await fetch(new URL('/health', url))).status).toBe(200);
  const headers = { ...json, authorization: `Bearer ${token}`, expect: '100-continue' };
  const underWay = request(new URL('/projects', url), { method: 'POST', headers });
  underWay.flushHeaders();
  await once(underWay, 'continue');
  // The second signal cuts the delay short.
  const ended = api.end('SIGTERM');
  await expect
    .poll(() =>
      fetch(url).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused');
  expect(await readyStatus(metricsPort)).toBe(503);
  underWay.end(JSON.stringify({ name: 'Late' }));
  const [answer] = await once(underWay, 'response');
  expect([answer.statusCode, await readJson(answer)]).toMatchObject([201, { name: 'Late' }]);
  await ended;
});

/** Starts the API as a process, without waiting for it, and returns the ports that it is to use. */
async function startWithPort(databaseUrl: string, more: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'api-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [port, metricsPort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
  const api = startApi(databaseUrl, folder, { ...ports, ...more });
  return { api, url: `http://127.0.0.1:${port}`, metricsPort };
}

/** Returns the status of `GET /ready`, or undefined while nothing listens. */
async function readyStatus(port: number): Promise<number | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined);
  return answer?.status;
}
