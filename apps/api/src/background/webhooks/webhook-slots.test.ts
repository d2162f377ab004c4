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

const events = ['message.stored'];

/**
 * Returns a sender for which slow receivers answer late, and while `isHeld` only after `release`. All others answer at
 * once.
 */
function slowReceivers() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const seen = { isHeld: false, taken: 0, held: 0, mostHeld: 0, fast: 0 };
  const send = async ({ url }: { readonly url: string }) => {
    if (!url.includes('slow')) {
      seen.fast += 1;
      return { ...TAKEN, durationMs: 5 };
    }
    if (seen.isHeld) {
      seen.held += 1;
      seen.mostHeld = Math.max(seen.mostHeld, seen.held);
      await released;
      seen.held -= 1;
    }
    seen.taken += 1;
    return { ...TAKEN, durationMs: 3000 };
  };
  return { seen, send, release };
}

test('all webhooks that answer slowly get half of the slots, and no other waits for them', async ({
  api,
  ana,
  projectId,
}) => {
  const { seen, send, release } = slowReceivers();
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
  await expect.poll(() => seen.taken).toBe(20);
  seen.isHeld = true;
  await store(one, two);
  await expect.poll(() => seen.held).toBeGreaterThanOrEqual(32);
  await store(three);
  await expect.poll(() => seen.fast).toBe(1);
  release();
  await expect.poll(() => seen.taken).toBe(60);
  expect(seen.mostHeld).toBe(32);
});

test('new webhooks that hang get a quarter of the slots together, and no known one waits for them', async ({
  api,
  ana,
  projectId,
}) => {
  const { seen, send, release } = slowReceivers();
  seen.isHeld = true;
  await createWebhook(api, ana, projectId, { url: 'https://fast.example/hook', events });
  const sessionId = await api.createSession(ana, projectId);
  await using running = startWork(api, WEBHOOK_TEST_TIMING, send);
  await running.store(spoken(sessionId));
  await expect.poll(() => seen.fast).toBe(1);
  const sessions: string[] = [];
  for (let count = 0; count < 10; count += 1) {
    const user = await api.createUser();
    const id = await api.createProject(user);
    for (let number = 0; number < 4; number += 1) {
      await createWebhook(api, user, id, { url: 'https://slow.example/hook', events });
    }
    sessions.push(await api.createSession(user, id));
  }
  await running.store(...sessions.map((id) => spoken(id)));
  await expect.poll(() => seen.held).toBeGreaterThanOrEqual(16);
  await running.store(spoken(sessionId));
  await expect.poll(() => seen.fast).toBe(2);
  release();
  await expect.poll(() => seen.taken).toBe(40);
  expect(seen.mostHeld).toBe(16);
});

test('new webhooks of one account that hang get two slots, even if they want nothing of some sessions, and no other new one waits for them', async ({
  api,
  ana,
  projectId,
}) => {
  const { seen, send, release } = slowReceivers();
  seen.isHeld = true;
  const projects = [projectId, await api.createProject(ana)];
  const sessions: string[] = [];
  for (const id of projects) {
    for (let number = 0; number < 9; number += 1) {
      await createWebhook(api, ana, id, { url: 'https://slow.example/hook', events });
    }
    for (let number = 0; number < 9; number += 1) {
      sessions.push(await api.createSession(ana, id));
    }
  }
  const { database } = api.deps;
  await using running = startWork(api, WEBHOOK_TEST_TIMING, send);
  // The creation of the sessions, an event that these webhooks do not want.
  running.stored(sessions.join());
  const handled = async () =>
    (
      await database.sql`
        select from follower_positions followed join followers follower on follower.id = followed.follower_id
        where follower.project_id = any (${projects}::uuid[]) and followed.wanted <= followed.position`
    ).length;
  await expect.poll(handled).toBe(162);
  await running.store(...sessions.map((id) => spoken(id)));
  await expect.poll(() => seen.held).toBe(2);
  const user = await api.createUser();
  const other = await api.createProject(user);
  await createWebhook(api, user, other, { url: 'https://fast.example/hook', events });
  await running.store(spoken(await api.createSession(user, other)));
  await expect.poll(() => seen.fast).toBe(1);
  expect(seen.mostHeld).toBe(2);
  release();
  await expect.poll(() => seen.taken).toBe(162);
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
  const hook = { url: 'https://hook.example/', events, from: 'beginning' };
  await createWebhook(api, ana, projectId, hook);
  await using running = startWork(api, WEBHOOK_TEST_TIMING, send);
  running.stored(backlog.join());
  // It gets more once it has answered.
  await expect.poll(() => sent.length).toBe(1);
  releases[0]?.();
  const taken = 1 + SESSION_SLOTS;
  await expect.poll(() => sent.length).toBe(taken);
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
    await expect.poll(() => sent.length).toBe(taken + next);
  }
  expect(sent.slice(taken).map((message) => message.sessionId)).toContain(sessionId);
  isHeld = false;
  for (const release of releases) release();
  await expect.poll(() => sent.length).toBe(SESSIONS + 1);
  expect(sent.map(({ id }) => id)).toContain(said.id);
});
