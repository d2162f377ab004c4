import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { serveInternally } from './health.ts';
import type { RecorderHealth } from './recorder.ts';

const HEALTH: RecorderHealth = {
  status: 'ok',
  recorderId: '01a1fd7a-c971-7694-8392-ef82743089a4',
  epoch: 1,
  sessions: {},
  queueLength: 0,
  skipped: {},
  lost: {},
  database: 'ok',
  lastFlushAt: null,
};
const address = { host: '127.0.0.1', port: 0 };

test('200 while it can work, 503 when it cannot, 404 for all else', async () => {
  let status: RecorderHealth['status'] = 'ok';
  await using server = await serveInternally(address, () => ({ ...HEALTH, status }));
  const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
  const response = await get('/health');
  expect([response.status, await response.json()]).toEqual([200, HEALTH]);
  status = 'unavailable';
  expect((await get('/health')).status).toBe(503);
  expect((await get('/')).status).toBe(404);
});

test('a sentence when the port is taken', async () => {
  await using server = await serveInternally(address, () => HEALTH);
  const taken = { ...address, port: server.port };
  await expect(serveInternally(taken, () => HEALTH)).rejects.toThrow(StartError);
});
