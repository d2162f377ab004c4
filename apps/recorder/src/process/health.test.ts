import type { NewMessageRow } from '@session/db';
import { AppError, Readiness } from '@session/kit';
import type { MediaWebhook } from '@session/media';
import { freePort, lintMetrics, missingPromtool } from '@session/testing';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { StorageDelays } from '../history/storage-delays.ts';
import { serveRecorder } from './health.ts';
import { addRecorderMetrics, observeQueries } from './metrics.ts';
import type { RecorderFigures } from './recorder-figures.ts';
import type { RecorderHealth } from './recorder-health.ts';

const HEALTH: RecorderHealth = {
  status: 'ok',
  recorderId: '01a1fd7a-c971-7694-8392-ef82743089a4',
  epoch: 1,
  sessions: { recording: 3, reconnecting: 1 },
  roomLimit: 400,
  unclaimableSessions: 2,
  queueLength: 7,
  spool: { messages: 6, sizeBytes: 1234, isOk: true },
  skipped: { partial: 5 },
  lost: { refused: 0, shed: 2 },
  database: 'ok',
  clock: 'wrong',
  clockOffsetMs: -86_400_500,
  lastFlushAt: null,
};
const FIGURES: RecorderFigures = {
  capacity: 200,
  isDatabaseOk: false,
  oldestUnstoredAgeMs: 1500,
  storageDelays: new StorageDelays(Date).metric,
  spool: { limitBytes: 4000, freeBytes: 2766, secondsToFull: Infinity, rejectedBytes: 99 },
  joins: 12,
  lastWebhookAt: undefined,
};
const GAP: NewMessageRow = {
  sessionId: HEALTH.recorderId,
  id: HEALTH.recorderId,
  receivedAt: 0,
  role: 'system',
  status: null,
  kind: 'recording_gap',
  content: '',
  metadata: { from: '2026-11-22T08:00:00.000Z', to: '2026-11-22T08:00:01.500Z', reason: 'stalled' },
};
const address = { host: '127.0.0.1', port: 0 };
const served = {
  log: logTo(),
  health: () => HEALTH,
  metrics: new Registry(),
  readiness: new Readiness(),
  countWebhook: () => {},
  readWebhook: async () => undefined,
  receiveWebhook: async () => {},
};
const presence: MediaWebhook = {
  room: HEALTH.recorderId,
  instance: { sid: 'RM_1', createdAt: 1 },
  event: {
    type: 'participant_joined',
    participant: { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' },
    joinedAt: 1,
    reason: null,
    receivedAt: 1,
  },
};

test('200 while the recorder can work, 503 when it cannot, GET / always 200, 404 for all other paths', async () => {
  let status: RecorderHealth['status'] = 'ok';
  await using server = await serveRecorder(address, {
    ...served,
    health: () => ({ ...HEALTH, status }),
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
  const response = await get('/health');
  expect([response.status, await response.json()]).toEqual([200, HEALTH]);
  status = 'unavailable';
  expect((await get('/health')).status).toBe(503);
  expect((await get('/')).status).toBe(200);
  expect((await get('/other')).status).toBe(404);
});

test('webhooks are taken at the internal port, or at a port of their own and there alone', async () => {
  await using one = await serveRecorder(address, served);
  expect(one.webhookPort).toBe(one.port);
  expect(await statusesOf(one.port)).toEqual([200, 200, 200]);
  await using two = await serveRecorder(address, served, address);
  expect(await statusesOf(two.port)).toEqual([404, 200, 200]);
  expect(await statusesOf(two.webhookPort)).toEqual([200, 404, 200]);
});

test('a start fails when either port is taken, and leaves none open', async () => {
  await using taken = await serveRecorder(address, served);
  const used = { ...address, port: taken.port };
  const free = { ...address, port: await freePort('127.0.0.1') };
  await expect(serveRecorder(used, served, free)).rejects.toThrow('METRICS_PORT');
  await expect(
    serveRecorder(free, served, { ...used, portVariable: 'WEBHOOK_PORT' }),
  ).rejects.toThrow('WEBHOOK_PORT');
  await using _ = await serveRecorder(free, served);
});

test('a webhook: 200 when it is processed, 401 when it is not signed, 503 and a warning when the server must send it again', async () => {
  const received: MediaWebhook[] = [];
  const warnings: unknown[] = [];
  const results: string[] = [];
  let fault: Error | undefined;
  await using server = await serveRecorder(address, {
    ...served,
    log: logTo((line) => void warnings.push(line)),
    countWebhook: (result) => void results.push(result),
    readWebhook: async (body, authorization) => {
      if (authorization !== 'signed') throw new AppError('unauthorized', 'not signed');
      return body === 'a join' ? presence : undefined;
    },
    receiveWebhook: async (reported) => {
      if (fault) throw fault;
      received.push(reported);
    },
  });
  const post = async (body: string, authorization = 'signed') => {
    const url = `http://127.0.0.1:${server.port}/webhooks/media`;
    return (await fetch(url, { method: 'POST', body, headers: { authorization } })).status;
  };
  expect([await post('a join'), await post('a track'), await post('a join', 'forged')]).toEqual([
    200, 200, 401,
  ]);
  fault = new Error('the database is away');
  expect(await post('a join')).toBe(503);
  expect(warnings).toEqual([{ err: fault }]);
  expect(received).toEqual([presence]);
  expect(results).toEqual(['taken', 'taken', 'unsigned', 'failed']);
});

test('metrics count what is recorded, stored, skipped and lost, and name no session', async () => {
  const fault = new Error('away');
  let isAway = false;
  const interval = { sessionId: HEALTH.recorderId, id: HEALTH.recorderId };
  const { queries, registry } = observeQueries({
    appendMessages: async (_batch: readonly NewMessageRow[]) => {
      if (isAway) throw fault;
      return {
        sessions: 1,
        stored: 4,
        lockedSessions: [],
        conflicts: 3,
        ignored: [],
        intruded: 0,
        gaps: [GAP, GAP],
      };
    },
    insertInterval: async (_interval: object) => {},
    endInterval: async (_interval: object) => {},
  });
  let figures = FIGURES;
  const countWebhook = addRecorderMetrics(
    registry,
    () => HEALTH,
    () => figures,
  );
  countWebhook('unsigned');
  await using server = await serveRecorder(address, { ...served, metrics: registry });
  await queries.appendMessages([]);
  isAway = true;
  await expect(queries.appendMessages([])).rejects.toBe(fault);
  await queries.insertInterval({ ...interval, recorderId: HEALTH.recorderId, fromAt: '' });
  await queries.endInterval({ ...interval, toAt: '', endReason: 'connection_lost' });
  const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'session_recorder_up 1',
      'session_recorder_clock_offset_seconds -86400.5',
      'session_recorder_sessions{state="recording"} 3',
      'session_recorder_sessions{state="reconnecting"} 1',
      'session_recorder_queue_length 7',
      'session_recorder_spool_bytes 1234',
      'session_recorder_spool_up 1',
      'session_recorder_events_skipped_total{reason="partial"} 5',
      'session_recorder_events_skipped_total{reason="unknown"} 0',
      'session_recorder_events_skipped_total{reason="flood"} 0',
      'session_recorder_messages_lost_total{reason="shed"} 2',
      'session_recorder_messages_stored_total 4',
      'session_recorder_id_conflicts_total 3',
      'session_recorder_messages_ignored_total 0',
      'session_recorder_messages_intruded_total 0',
      'session_recorder_flush_duration_seconds_count{result="stored"} 1',
      'session_recorder_flush_duration_seconds_count{result="failed"} 1',
      'session_recorder_connections_total 1',
      'session_recorder_disconnections_total{reason="connection_lost"} 1',
      'session_recorder_disconnections_total{reason="server_shutdown"} 0',
      'session_recorder_gaps_total{reason="server_shutdown"} 0',
      'session_recorder_capacity 200',
      'session_recorder_database_up 0',
      'session_recorder_oldest_unstored_message_age_seconds 1.5',
      'session_recorder_spool_limit_bytes 4000',
      'session_recorder_spool_free_bytes 2766',
      'session_recorder_spool_time_to_full_seconds +Inf',
      'session_recorder_rejected_bytes 99',
      'session_recorder_joins_total 12',
      'session_recorder_gaps_total{reason="stalled"} 2',
      'session_recorder_gaps_total{reason="storage_full"} 0',
      'session_recorder_gap_seconds_total{reason="stalled"} 3',
      'session_recorder_webhooks_total{result="unsigned"} 1',
      'session_recorder_webhooks_total{result="taken"} 0',
      expect.stringMatching(/^process_resident_memory_bytes \d+$/),
      expect.stringMatching(/^nodejs_eventloop_lag_p99_seconds \d/),
    ]),
  );
  expect(text).not.toContain(HEALTH.recorderId);
  expect(text).not.toMatch(/^session_recorder_last_webhook_timestamp_seconds /m);
  figures = { ...FIGURES, lastWebhookAt: 1_795_330_800_500 };
  const later = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  expect((await later.text()).split('\n')).toContain(
    'session_recorder_last_webhook_timestamp_seconds 1795330800.5',
  );
});

const why = missingPromtool();

async function unused(): Promise<never> {
  throw new Error('not called');
}

test.skipIf(why !== '')(`promtool finds no fault in our names and units${why}`, async () => {
  const queries = { appendMessages: unused, insertInterval: unused, endInterval: unused };
  const { registry } = observeQueries(queries);
  addRecorderMetrics(
    registry,
    () => HEALTH,
    () => FIGURES,
  );
  const lines = lintMetrics(await registry.metrics());
  expect(lines.filter((line) => line.startsWith('session_'))).toEqual([]);
});

/** Returns the status of a webhook, of the health and of `GET /`. */
async function statusesOf(port: number): Promise<number[]> {
  const base = `http://127.0.0.1:${port}`;
  const webhook = await fetch(`${base}/webhooks/media`, { method: 'POST', body: '{}' });
  return [webhook.status, (await fetch(`${base}/health`)).status, (await fetch(base)).status];
}
