import { expect } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook, newWebhook } from '../../../testing/webhooks.ts';
import { deleteProjects, markProjectDeleted } from '../sessions/deletions.ts';
import { changeWebhook, deleteWebhook, insertWebhook, REVIVE_FOLLOWER } from './webhook-changes.ts';
import { deleteGoneWebhooks } from './webhook-deletion.ts';
import { findWebhook } from './webhooks.ts';

const changed = ({ projectId, userId }: TestProject, id: string) => ({
  id,
  projectId,
  by: userId,
});

test('a project has at most as many webhooks as asked; deleted ones do not count', async ({
  project,
}) => {
  const { projectId, userId: createdBy } = project;
  const insert = async () => {
    const webhook = newWebhook({ projectId, createdBy });
    return { id: webhook.id, isStored: await insertWebhook(project, webhook, 2) };
  };
  const [first] = [await insert()];
  const both = await Promise.all([insert(), insert(), insert()]);
  expect(both.filter(({ isStored }) => isStored)).toHaveLength(1);
  await deleteWebhook(project, changed(project, first.id));
  expect(await insert()).toMatchObject({ isStored: true });
});

test('a change keeps what is left out; without a change nothing is noted', async ({ project }) => {
  const { sql, userId } = project;
  const id = await addWebhook(project);
  await sql`delete from audit_events`;
  const before = await findWebhook(project, { id, userId });
  const change = { description: 'a description', events: ['message.stored'] };
  expect(await changeWebhook(project, changed(project, id), change)).toBe(true);
  const after = await findWebhook(project, { id, userId });
  expect(after?.webhook).toMatchObject({ ...change, url: before?.webhook.url, content: 'full' });
  await changeWebhook(project, changed(project, id), change);
  expect(await sql`select from audit_events`).toHaveLength(1);
});

test('`active` ends the rest, and makes due what waits and what was given up', async ({
  project,
}) => {
  const { sql } = project;
  const id = await addWebhook(project);
  await sql`update followers set failures = 9, retry_at = now() + interval '1 h', status = 'disabled'`;
  await sql`
    insert into follower_positions (follower_id, session_id, position, wanted, next_attempt_at, dead_at, failing_since)
    select ${id}, gen_random_uuid(), now() - interval '1 h', now(), now() + wait, dead_at, now()
    from (values (interval '2 h', null), (interval '0', now()), (interval '50 s', null)) followed (wait, dead_at)`;
  await changeWebhook(project, changed(project, id), { status: 'active' });
  const [follower] = await sql`select status, failures, retry_at from followers`;
  expect(follower).toEqual({ status: 'active', failures: 0, retry_at: null });
  // Another process is sending the third one.
  expect(
    await sql`select from follower_positions where next_attempt_at <= now() and dead_at is null`,
  ).toHaveLength(2);
});

test('another URL begins without the failures of the former one; the same URL, and a disabled webhook, stay as they are', async ({
  project,
}) => {
  const { sql } = project;
  const url = 'https://example.org/first';
  const id = await addWebhook(project, { url });
  await sql`update followers set failures = 9, failing_since = now(), retry_at = now() + interval '1 h'`;
  await sql`
    insert into follower_positions (follower_id, session_id, position, wanted, next_attempt_at, attempts, failing_since)
    values (${id}, gen_random_uuid(), now() - interval '1 h', now(), now() + interval '2 h', 9, now())`;
  const stateAfter = async (change: Parameters<typeof changeWebhook>[2]) => {
    await changeWebhook(project, changed(project, id), change);
    const [state] = await sql`
      select status, failures, retry_at is not null as "isResting", attempts, next_attempt_at <= now() as "isDue"
      from followers join follower_positions on follower_id = id`;
    return state;
  };
  const failing = { status: 'active', failures: 9, isResting: true, attempts: 9, isDue: false };
  expect(await stateAfter({ url, description: 'new' })).toEqual(failing);
  const whole = { status: 'active', failures: 0, isResting: false, attempts: 0, isDue: true };
  expect(await stateAfter({ url: 'https://example.org/second' })).toEqual(whole);
  const disabled = { status: 'disabled' } as const;
  expect(await stateAfter({ url, ...disabled })).toMatchObject(disabled);
  expect(await stateAfter({ url: 'https://example.org/third' })).toMatchObject(disabled);
});

test('a webhook with many positions is activated by reading only what waits and what was given up', async () => {
  await using project = await createTestProject();
  const { fill } = project;
  const id = await addWebhook(project);
  await fill`
    insert into follower_positions (follower_id, session_id, position, wanted, dead_at, next_attempt_at)
    select ${id}, gen_random_uuid(), now(), now() + case when n <= 6 then interval '1 s' else interval '0' end,
      case when n <= 3 then now() end, now() + case when n between 4 and 6 then interval '1 h' else interval '0' end
    from generate_series(1, 20000) n`;
  await fill`analyze follower_positions`;
  const plan = await fill.unsafe(
    `explain (analyze, buffers, costs off, timing off) ${REVIVE_FOLLOWER.text}`,
    [id],
  );
  expect(plan[0]?.['QUERY PLAN']).toMatch(/\(actual rows=1\b/);
  const [run = ''] = plan
    .map((row) => String(row['QUERY PLAN']))
    .join('\n')
    .split('Planning:');
  const pages = Array.from(run.matchAll(/(?:hit|read)=(\d+)/g), ([, count]) => Number(count));
  expect(pages.length).toBeGreaterThan(0);
  expect(Math.max(...pages)).toBeLessThan(100);
  const revived = await fill`
    select from follower_positions where wanted > position and next_attempt_at <= now() and dead_at is null`;
  expect(revived).toHaveLength(6);
});

test('a deleted webhook is not found and not changed', async ({ project }) => {
  const id = await addWebhook(project);
  expect(await deleteWebhook(project, changed(project, id))).toBe(true);
  expect(await deleteWebhook(project, changed(project, id))).toBe(false);
  expect(await changeWebhook(project, changed(project, id), { status: 'active' })).toBe(false);
  expect(await findWebhook(project, { id, userId: project.userId })).toBeUndefined();
});

test('a deleted project has its webhooks deleted before it', async ({ project }) => {
  const { projectId, sql, userId: createdBy } = project;
  await addWebhook(project);
  await markProjectDeleted(project, projectId);
  expect(await insertWebhook(project, newWebhook({ projectId, createdBy }), 20)).toBe(false);
  await sql`delete from audit_events`;
  expect(await deleteProjects(project)).toEqual([]);
  expect(await deleteGoneWebhooks(project, 10)).toMatchObject({ webhooks: 1 });
  expect(await deleteProjects(project)).toEqual([projectId]);
});
