import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';
import { deleteWebhookRows } from './webhook-rows.ts';

test('what a batch does not hold is deleted at once too, up to a limit', async ({ api, ana }) => {
  const { sql } = api.deps.database;
  const projectId = await api.createProject(ana);
  const payload = { url: 'https://example.org/hook' };
  const url = `/projects/${projectId}/webhooks`;
  const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
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
