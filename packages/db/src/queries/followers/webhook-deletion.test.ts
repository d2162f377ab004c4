import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { markProjectDeleted } from '../sessions/deletions.ts';
import { listDueWebhooks } from './follower-claims.ts';
import { markFollowers } from './follower-marks.ts';
import { deleteWebhook } from './webhook-changes.ts';
import { deleteGoneWebhooks, deleteOldDeliveries } from './webhook-deletion.ts';

const counts = (positions: number, deliveries: number, webhooks: number) => ({
  positions,
  deliveries,
  webhooks,
});

test('the rows of a deleted webhook go in steps, those of others stay', async ({ project }) => {
  const { projectId, sql, userId: by } = project;
  const [gone, kept] = [await addWebhook(project), await addWebhook(project)];
  for (const id of [gone, gone, gone, kept]) {
    const [row] = await sql<{ sessionId: string }[]>`
      insert into follower_positions (follower_id, session_id, position, wanted)
      values (${id}, gen_random_uuid(), now(), now()) returning session_id as "sessionId"`;
    await sql`
      insert into webhook_deliveries (webhook_id, session_id, seen_at, id, type, attempts, duration_ms, response)
      values (${id}, ${row?.sessionId ?? ''}, now(), gen_random_uuid(), 'message.stored', 1, 1, '')`;
  }
  expect(await deleteGoneWebhooks(project, 2)).toEqual(counts(0, 0, 0));
  await deleteWebhook(project, { id: gone, projectId, by });
  expect(await deleteGoneWebhooks(project, 2)).toEqual(counts(2, 2, 0));
  expect(await deleteGoneWebhooks(project, 2)).toEqual(counts(1, 1, 1));
  for (const table of ['followers', 'webhooks', 'follower_positions', 'webhook_deliveries']) {
    expect([table, await sql`select from ${sql(table)}`]).toHaveProperty('[1].length', 1);
  }
});

test('the webhooks of a deleted project get nothing of its sessions, even of those that are not marked yet', async ({
  project,
}) => {
  const { projectId, sql } = project;
  const gone = await addWebhook(project);
  const kept = await addWebhook({ ...project, ...(await project.newProject()) });
  const sessions = await project.newSessions(2);
  const append = async () => {
    const { stored } = await appendMessages(
      project,
      sessions.map((sessionId) => typedText(sessionId)),
    );
    await markFollowers(project, sessions);
    return stored;
  };
  expect([await append(), await listDueWebhooks(project)]).toEqual([2, [gone]]);
  await markProjectDeleted(project, projectId, 1);
  expect([await append(), await listDueWebhooks(project)]).toEqual([1, []]);
  expect(await sql`select id, status from followers order by status`).toEqual([
    { id: kept, status: 'active' },
    { id: gone, status: 'deleted' },
  ]);
});

test('a delivery is kept for seven days after its last attempt', async ({ project }) => {
  const { sql } = project;
  const id = await addWebhook(project);
  for (const days of [6, 8, 9]) {
    await sql`
      insert into webhook_deliveries (webhook_id, session_id, seen_at, id, type, attempts, duration_ms, response, last_at)
      values (${id}, gen_random_uuid(), now(), gen_random_uuid(), 'message.stored', 1, 1, '', now() - ${days} * interval '1 day')`;
  }
  expect(await deleteOldDeliveries(project, 1)).toBe(1);
  expect(await deleteOldDeliveries(project, 10)).toBe(1);
  expect(await sql`select from webhook_deliveries`).toHaveLength(1);
});
