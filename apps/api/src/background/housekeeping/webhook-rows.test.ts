import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { spoken } from '../../../testing/history.ts';
import {
  append,
  createWebhook,
  idsOf,
  startWork,
  webhookTest as test,
} from '../../../testing/webhook-test.ts';
import { deleteWebhookRows, markUnnamedSessions, resealWebhooks } from './webhook-rows.ts';

test('what a batch does not hold is deleted at once too, up to a limit', async ({
  api,
  ana,
  projectId,
}) => {
  const { sql } = api.deps.database;
  const { id } = await createWebhook(api, ana, projectId, { url: 'https://example.org/hook' });
  await sql`
    insert into follower_positions (follower_id, session_id, position, wanted)
    select ${id}, gen_random_uuid(), now(), now() from generate_series(1, 5)`;
  await sql`
    insert into webhook_deliveries (webhook_id, session_id, seen_at, id, type, attempts, duration_ms, response, last_at)
    select ${id}, gen_random_uuid(), now(), gen_random_uuid(), 'message.stored', 1, 1, '', now() - interval '8 d'
    from generate_series(1, 7)`;
  const limits = { batchSize: 2, maxStatements: 2 };
  expect(await deleteWebhookRows(api.deps, limits)).toEqual([
    '0 webhooks, 0 positions, 4 deliveries',
  ]);
  await api.inject(ana, { method: 'DELETE', url: `/webhooks/${id}` });
  expect(await deleteWebhookRows(api.deps, { batchSize: 2 })).toEqual([
    '1 webhooks, 5 positions, 3 deliveries',
  ]);
  expect(await deleteWebhookRows(api.deps)).toEqual([]);
});

test('what is stored while a webhook is disabled is sent once it is active again', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const { id } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const set = async (status: string) =>
    await api.inject(ana, { method: 'PATCH', url: `/webhooks/${id}`, payload: { status } });
  await set('disabled');
  const rows = [spoken(sessionId), spoken(sessionId)];
  await append(api, rows);
  await markUnnamedSessions(api.deps);
  await set('active');
  expect(await markUnnamedSessions(api.deps)).toEqual(['1 sessions']);
  await using running = startWork(api);
  await expect.poll(() => idsOf(receiver)).toEqual(rows.map((row) => row.id));
  expect(running.log.warn).not.toHaveBeenCalled();
});

test('after a change of key the secrets of webhooks are sealed with the new key', async () => {
  const former = 'the former key, of 32 bytes or more';
  const present = 'the present key, of 32 bytes or more';
  await using database = await createTestDatabase();
  await using before = await startTestApi(database.url, { env: { ENCRYPTION_KEY: former } });
  const ana = await before.createUser();
  const projectId = await before.createProject(ana);
  const url = 'https://example.org/hook';
  const { id, secret } = await createWebhook(before, ana, projectId, { url });
  const both = { ENCRYPTION_KEY: present, ENCRYPTION_KEY_PREVIOUS: former };
  await using during = await startTestApi(database.url, { env: both });
  expect(await resealWebhooks(during.deps)).toEqual([id]);
  expect(await resealWebhooks(during.deps)).toEqual([]);
  await using after = await startTestApi(database.url, { env: { ENCRYPTION_KEY: present } });
  const target = await db.findWebhookTarget(after.deps.database, id);
  expect(target && after.deps.vault.open(target)).toEqual({ current: secret });
});
