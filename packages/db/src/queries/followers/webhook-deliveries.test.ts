import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { listDeliveries } from './webhook-deliveries.ts';

test('the last attempt first, page by page, for members of the project alone', async ({
  project,
}) => {
  const { sql, userId } = project;
  const [webhookId, other] = [await addWebhook(project), await addWebhook(project)];
  for (const [id, seconds] of [
    [webhookId, 1],
    [webhookId, 2],
    [webhookId, 2],
    [other, 3],
  ] as const) {
    await sql`
      insert into webhook_deliveries (webhook_id, session_id, seen_at, id, type, attempts, status_code, duration_ms, response, last_at)
      values (${id}, gen_random_uuid(), now(), gen_random_uuid(), 'message.stored', 1, 204, 12, 'ok',
        date_trunc('second', now()) + ${seconds} * interval '1 s')`;
  }
  const all = await listDeliveries(project, { webhookId, userId, limit: 10 });
  const ids = all?.deliveries.map(({ id }) => id) ?? [];
  expect(all?.deliveries.map(({ lastAt }) => lastAt)).toEqual(
    all?.deliveries
      .map(({ lastAt }) => lastAt)
      .toSorted()
      .toReversed(),
  );
  expect(ids).toHaveLength(3);
  const paged: string[] = [];
  let before: { lastAt: string; id: string } | undefined;
  for (let turn = 0; turn < 3; turn += 1) {
    const page = await listDeliveries(project, { webhookId, userId, before, limit: 1 });
    before = page?.deliveries[0];
    if (before) paged.push(before.id);
  }
  expect(paged).toEqual(ids);
  const [newest] = all?.deliveries ?? [];
  const { sessionId } = newest ?? {};
  await sql`update webhook_deliveries set failure = 'HTTP 500' where session_id <> ${sessionId ?? null}`;
  for (const filter of [{ sessionId }, { state: 'taken' }] as const) {
    const some = await listDeliveries(project, { webhookId, userId, limit: 10, ...filter });
    expect(some?.deliveries).toEqual([newest]);
  }
  const stranger = await project.newUser();
  expect(await listDeliveries(project, { webhookId, userId: stranger, limit: 1 })).toBeUndefined();
});
