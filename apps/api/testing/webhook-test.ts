import type { Webhook } from '@session/contract';
import * as db from '@session/db';
import { expect } from 'vitest';
import { ShutdownBudget } from '../src/background/shutdown-budget.ts';
import type { WebhookTiming } from '../src/background/webhooks/claimed-session.ts';
import { WEBHOOK_TIMING, WebhookWork } from '../src/background/webhooks/webhook-work.ts';
import { WebhookSender } from '../src/webhooks/webhook-request.ts';
import type { TestApi, TestUser } from './api.ts';
import { apiTest } from './api-test.ts';
import { spyLog } from './spy-log.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const NETWORKS = ['127.0.0.0/8'];

/** Short, so that a test waits for little. */
export const WEBHOOK_TEST_TIMING = {
  ...WEBHOOK_TIMING,
  everyMs: 20,
  gapMs: 1,
  waitsMs: [20, 40] as const,
  horizonMs: 60_000,
  rest: { firstMs: 20, longestMs: 100 },
};

/** As `apiTest`, with a `receiver` of webhooks. */
export const webhookTest = apiTest
  .extend('options', () => ({ env: { WEBHOOK_NETWORKS: NETWORKS.join() } }))
  .extend('receiver', async ({ projectId: _asked }, { onCleanup }) => {
    const receiver = await startReceiver();
    onCleanup(() => receiver[Symbol.asyncDispose]());
    return receiver;
  });

interface Created {
  readonly id: string;
  readonly secret: string;
}

export async function createWebhook(
  api: TestApi,
  user: TestUser,
  projectId: string,
  payload: object,
): Promise<Created> {
  const url = `/projects/${projectId}/webhooks`;
  const answer = await api.inject(user, { method: 'POST', url, payload });
  expect(answer.statusCode).toBe(201);
  return answer.json();
}

export async function findWebhook(api: TestApi, user: TestUser, id: string): Promise<Webhook> {
  return (await api.inject(user, { url: `/webhooks/${id}` })).json();
}

export async function listDeliveries(api: TestApi, user: TestUser, id: string) {
  return (await api.inject(user, { url: `/webhooks/${id}/deliveries` })).json().items;
}

/** How often the process of `api` has given up a session of a webhook, or a webhook. */
export async function countGivenUp({ deps }: TestApi, what: 'session' | 'webhook') {
  const { values } = await deps.metrics.webhooksGivenUp.get();
  return values.find(({ labels }) => labels.what === what)?.value ?? 0;
}

/** Starts the work of a process. */
export function startWork(
  api: TestApi,
  timing: WebhookTiming = WEBHOOK_TEST_TIMING,
  send?: WebhookSender['send'],
) {
  const own = new WebhookSender(NETWORKS);
  const sender = send ? { send } : own;
  const { database, metrics, vault } = api.deps;
  const shutdown = new ShutdownBudget(4000);
  const log = spyLog();
  const running = new WebhookWork({ database, metrics, vault, sender, shutdown, log, timing });
  return {
    log,
    stored: (ids: string) => running.stored(ids),
    async store(...rows: readonly db.NewMessageRow[]) {
      await append(api, rows);
      running.stored(rows.map(({ sessionId }) => sessionId).join());
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      own[Symbol.dispose]();
    },
  };
}

export const append = async ({ deps }: TestApi, rows: readonly db.NewMessageRow[]) =>
  await db.appendMessages(deps.database, rows);

/** The ids of the messages that came. */
export const idsOf = ({ received }: WebhookReceiver) =>
  received.map(({ payload }) => payload.data.message?.id);
