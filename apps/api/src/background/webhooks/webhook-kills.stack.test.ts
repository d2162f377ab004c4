import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { startApi } from '../../../testing/api-process.ts';
import { spoken } from '../../../testing/history.ts';
import {
  type ReceiverAnswer,
  startReceiver,
  type WebhookReceiver,
} from '../../../testing/webhook-receiver.ts';
import { createWebhook } from '../../../testing/webhook-test.ts';
import type { Deps } from '../../deps.ts';

const SESSIONS = 12;
const MESSAGES = 40;
const ANSWER_MS = 5;

test('three API processes, of which two are killed while they send: nothing is missing, and each session is in order', async () => {
  await using stack = new AsyncDisposableStack();
  let left = 60;
  const hung: ServerResponse[] = [];
  const answer = async (response: ServerResponse) => {
    left -= 1;
    if (left < 0) hung.push(response);
    else await answerSlowly(response);
  };
  const answerMore = (count: number) => {
    left = count;
    for (const response of hung.splice(0)) response.writeHead(204).end();
  };
  const { api, receiver, sessions, startProcess } = await startWebhook(stack, answer);
  const processes = [await startProcess(), await startProcess(), await startProcess()];
  const said = await sayInTurn(api.deps, sessions);
  // The receiver holds its answers back, so that requests are under way when a process is killed.
  await expect.poll(() => hung.length).toBeGreaterThanOrEqual(SESSIONS);
  await processes[0]?.end('SIGKILL');
  answerMore(60);
  await expect.poll(() => hung.length).toBeGreaterThan(0);
  await processes[1]?.end('SIGKILL');
  answerMore(Infinity);
  // A statement of a killed process may go on, and renew a lease.
  const connectedApis = async () =>
    await api.deps.database.sql`
      select distinct application_name from pg_stat_activity
      where datname = current_database() and application_name like 'api-%'`;
  // The API of the test, and the process that is left.
  await expect.poll(connectedApis).toHaveLength(2);
  await passLeases(api.deps.database);
  await expect.poll(() => firstReceipts(receiver)).toEqual(said);
  expect(bodiesById(receiver).filter((bodies) => bodies.size > 1)).toEqual([]);
});

test('a receiver hangs while one process is frozen and one is killed: nothing is missing, each session is in order, and only what hung is repeated', async () => {
  await using stack = new AsyncDisposableStack();
  let hanging = '5';
  const hung: ServerResponse[] = [];
  const { api, receiver, sessions, startProcess } = await startWebhook(
    stack,
    async (response, { payload }) => {
      if (payload.data.message?.content === hanging) hung.push(response);
      else await answerSlowly(response);
    },
  );
  const frozen = await startProcess();
  const said = await sayInTurn(api.deps, sessions);
  // As many sessions as one process sends at a time.
  await expect.poll(() => hung).toHaveLength(8);
  process.kill(frozen.pid, 'SIGSTOP');
  hanging = '20';
  await passLeases(api.deps.database);
  const [killed] = await Promise.all([startProcess(), startProcess()]);
  await expect.poll(() => hung.length).toBeGreaterThanOrEqual(8 + SESSIONS);
  await killed.end('SIGKILL');
  process.kill(frozen.pid, 'SIGCONT');
  hanging = '';
  await passLeases(api.deps.database);
  // The process that was frozen learns that others have its sessions.
  for (const response of hung) response.writeHead(204).end();
  await expect.poll(() => firstReceipts(receiver)).toEqual(said);
  expect(bodiesById(receiver).filter((bodies) => bodies.size > 1)).toEqual([]);
  expect(receiver.received.length - SESSIONS * MESSAGES).toBeLessThanOrEqual(hung.length);
});

async function answerSlowly(response: ServerResponse): Promise<void> {
  await sleep(ANSWER_MS);
  response.writeHead(204).end();
}

/** Creates sessions and a webhook for their messages. `startProcess` starts an API that sends them. */
async function startWebhook(stack: AsyncDisposableStack, answer: ReceiverAnswer) {
  const database = stack.use(await createTestDatabase());
  const folder = await mkdtemp(path.join(tmpdir(), 'webhooks-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const receiver = stack.use(await startReceiver(answer));
  const env = { WEBHOOK_NETWORKS: '127.0.0.0/8' };
  const api = stack.use(await startTestApi(database.url, { env }));
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const sessions: string[] = [];
  for (let count = 0; count < SESSIONS; count += 1) {
    sessions.push(await api.createSession(ana, projectId));
  }
  await createWebhook(api, ana, projectId, { url: receiver.url });
  const startProcess = async () => stack.use(await startApi(database.url, folder, env));
  return { api, receiver, sessions, startProcess };
}

/** Stores messages in all sessions in turn. Returns the ids of each session's messages, in order. */
async function sayInTurn(
  { database, storedNotifier: notifier }: Deps,
  sessions: readonly string[],
) {
  const said = new Map(sessions.map((sessionId): [string, string[]] => [sessionId, []]));
  for (let count = 0; count < MESSAGES; count += 1) {
    const rows = sessions.map((sessionId) => spoken(sessionId, { content: `${count}` }));
    await db.appendMessages(database, rows);
    notifier.notify(sessions);
    for (const { id, sessionId } of rows) said.get(sessionId)?.push(id);
  }
  return said;
}

/** Makes the leases of killed processes expire: a minute passes for the rows alone. */
async function passLeases({ sql }: db.DatabaseAccess): Promise<void> {
  const { count } = await sql`
    update follower_positions set next_attempt_at = now()
    where wanted > position and next_attempt_at > now()`;
  expect(count).toBeGreaterThan(0);
}

function firstReceipts({ received }: WebhookReceiver): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { payload } of received) {
    const { message, sessionId } = payload.data;
    if (!message) continue;
    const known = ids.get(sessionId) ?? [];
    if (!known.includes(message.id)) ids.set(sessionId, [...known, message.id]);
  }
  return ids;
}

function bodiesById({ received }: WebhookReceiver): Set<string>[] {
  const groups = Map.groupBy(received, ({ headers }) => headers['webhook-id']);
  return Array.from(groups.values(), (group) => new Set(group.map(({ body }) => body)));
}
