import { expect } from 'vitest';
import { spoken } from '../../../testing/history.ts';
import {
  append,
  createWebhook,
  startWork,
  webhookTest as test,
  WEBHOOK_TEST_TIMING,
} from '../../../testing/webhook-test.ts';

const SESSION_SLOTS = 8;
const TAKEN = { statusCode: 204, failure: null, response: '', retryAfterMs: undefined };

test('all webhooks that answer slowly get half of the slots, and no other waits for them', async ({
  api,
  ana,
  projectId,
}) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let isHeld = false;
  let [taken, held, mostHeld, fast] = [0, 0, 0, 0];
  const send = async ({ url }: { readonly url: string }) => {
    if (!url.includes('slow')) {
      fast += 1;
      return { ...TAKEN, durationMs: 5 };
    }
    if (isHeld) {
      held += 1;
      mostHeld = Math.max(mostHeld, held);
      await released;
      held -= 1;
    }
    taken += 1;
    return { ...TAKEN, durationMs: 3000 };
  };
  const events = ['message.stored'];
  for (let number = 0; number < 20; number += 1) {
    await createWebhook(api, ana, projectId, { url: 'https://slow.example/hook', events });
  }
  const other = await api.createProject(ana);
  await createWebhook(api, ana, other, { url: 'https://fast.example/hook', events });
  const [one, two, three] = [
    await api.createSession(ana, projectId),
    await api.createSession(ana, projectId),
    await api.createSession(ana, other),
  ];
  await using running = startWork(api, WEBHOOK_TEST_TIMING, send);
  const store = async (...ids: string[]) => {
    await append(
      api,
      ids.map((id) => spoken(id)),
    );
    running.stored(ids.join());
  };
  await store(one);
  await expect.poll(() => taken).toBe(20);
  isHeld = true;
  await store(one, two);
  await expect.poll(() => held).toBeGreaterThanOrEqual(32);
  await store(three);
  await expect.poll(() => fast).toBe(1);
  release();
  await expect.poll(() => taken).toBe(60);
  expect(mostHeld).toBe(32);
});

test('a new message does not wait for a long backlog of its webhook, which goes on meanwhile', async ({
  api,
  ana,
  projectId,
}) => {
  const SESSIONS = 60;
  const sent: { id: string; sessionId: string }[] = [];
  const releases: (() => void)[] = [];
  let isHeld = true;
  const send = async ({ body }: { readonly body: string }) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    releases.push(release);
    sent.push(JSON.parse(body).data.message);
    if (isHeld) await released;
    return { ...TAKEN, durationMs: 5 };
  };
  const backlog: string[] = [];
  for (let number = 0; number < SESSIONS; number += 1) {
    backlog.push(await api.createSession(ana, projectId));
  }
  await append(
    api,
    backlog.map((id) => spoken(id)),
  );
  const events = ['message.stored'];
  const hook = { url: 'https://hook.example/', events, from: 'beginning' };
  await createWebhook(api, ana, projectId, hook);
  await using running = startWork(api, WEBHOOK_TEST_TIMING, send);
  running.stored(backlog.join());
  await expect.poll(() => sent.length).toBe(SESSION_SLOTS);
  // Each slot is taken. A session that waits gets one of the next two when something new is stored in it.
  const held = new Set(sent.map((message) => message.sessionId));
  const sessionId = backlog.find((id) => !held.has(id)) ?? '';
  const said = spoken(sessionId);
  await append(api, [said]);
  running.stored(sessionId);
  const { database } = api.deps;
  const isMarked = async () =>
    (
      await database.sql`
        select 1 from follower_positions followed join session_heads head using (session_id)
        where session_id = ${sessionId} and followed.wanted >= head.last_at`
    ).length;
  await expect.poll(isMarked).toBeGreaterThan(0);
  for (const next of [1, 2]) {
    releases[next]?.();
    await expect.poll(() => sent.length).toBe(SESSION_SLOTS + next);
  }
  expect(sent.slice(SESSION_SLOTS).map((message) => message.sessionId)).toContain(sessionId);
  isHeld = false;
  for (const release of releases) release();
  await expect.poll(() => sent.length).toBe(SESSIONS + 1);
  expect(sent.map(({ id }) => id)).toContain(said.id);
});
