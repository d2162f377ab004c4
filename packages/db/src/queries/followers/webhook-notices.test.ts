import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { closeRestoredHistory } from '../recording/restored-history.ts';
import { followSession } from './followed-versions.ts';
import { claimFollowers, type FollowerClaim, forgetSessionOfFollower } from './follower-claims.ts';
import { noteRefused } from './webhook-attempts.ts';
import { changeWebhook, disableFailingWebhook } from './webhook-changes.ts';
import { findWebhookTarget } from './webhook-secrets.ts';

const OVER = { waitMs: 1, horizonMs: 60_000 };

/** Claims the one session of a webhook that is due. */
async function claimOf(project: TestProject, id: string): Promise<FollowerClaim | undefined> {
  const claims = await claimFollowers(project, new Map([[id, 8]]), 60_000);
  expect(claims.length).toBeLessThan(2);
  return claims[0];
}

/** Returns the notices that are due for a webhook, and takes them. */
async function noticesOf(project: TestProject, id: string) {
  const claim = await claimOf(project, id);
  if (!claim) return [];
  const { sessionId, position } = claim;
  const found = await followSession(project, { sessionId, position, limit: 20 });
  expect(await forgetSessionOfFollower(project, claim, found?.end ?? null)).toBe(true);
  return (found?.versions ?? []).map((version) =>
    'type' in version ? [version.type, JSON.parse(version.data)] : [],
  );
}

/** Has a session of the webhook refused after the horizon. */
async function giveUp(
  project: TestProject,
  id: string,
  type = 'message.stored',
  session = uuidv7(),
) {
  await project.sql`
    insert into follower_positions (follower_id, session_id, position, wanted, failing_since)
    values (${id}, ${session}, 'epoch', now(), now() - interval '1 h')`;
  const claim = { followerId: id, sessionId: session, claim: '0' };
  const refused = { id: uuidv7(), seenAt: new Date().toISOString(), type, statusCode: 400 };
  const answer = { durationMs: 1, failure: 'HTTP 400', response: '' };
  expect(await noteRefused(project, claim, { ...refused, ...answer }, OVER)).toBe(true);
  return session;
}

test('each restore is told once to every webhook, to a disabled one when it is active again', async ({
  project,
}) => {
  const { projectId, userId: by } = project;
  const [active, disabled] = [await addWebhook(project), await addWebhook(project)];
  await changeWebhook(project, { id: disabled, projectId, by }, { status: 'disabled' });
  await closeRestoredHistory(project);
  const floors = await project.sql<{ ms: number }[]>`
    select (extract(epoch from floor_at) * 1000)::float8 as ms from restores`;
  const floorAt = new Date(floors[0]?.ms ?? 0).toISOString();
  const notice = ['store.restored', { restoredTo: null, floorAt }];
  expect(await noticesOf(project, active)).toEqual([notice]);
  expect(await noticesOf(project, active)).toEqual([]);
  expect(await noticesOf(project, disabled)).toEqual([]);
  await changeWebhook(project, { id: disabled, projectId, by }, { status: 'active' });
  expect(await noticesOf(project, disabled)).toEqual([notice]);
  // The position was forgotten, but the former notice is not sent again with the next notice.
  await closeRestoredHistory(project);
  expect(await noticesOf(project, active)).toHaveLength(1);
});

test('a notice that comes while the one before is being sent is not forgotten with it', async ({
  project,
}) => {
  const id = await addWebhook(project);
  await closeRestoredHistory(project);
  const claim = await claimOf(project, id);
  if (!claim) throw new Error('the notice is due');
  const { sessionId, position } = claim;
  const found = await followSession(project, { sessionId, position, limit: 20 });
  await closeRestoredHistory(project);
  expect(await forgetSessionOfFollower(project, claim, found?.end ?? null)).toBe(false);
});

test('the first session that is given up is told to the other active webhooks, once until somebody mends it', async ({
  project,
}) => {
  const { projectId, userId: by } = project;
  const [dead, other, disabled] = [
    await addWebhook(project, { url: 'https://dead.example/secret' }),
    await addWebhook(project),
    await addWebhook(project),
  ];
  await changeWebhook(project, { id: disabled, projectId, by }, { status: 'disabled' });
  const sessionId = await giveUp(project, dead);
  const notice = { webhookId: dead, host: 'dead.example', sessionId, failure: 'HTTP 400' };
  expect(await noticesOf(project, other)).toEqual([['webhook.dead', notice]]);
  await giveUp(project, dead);
  const target = await findWebhookTarget(project, dead);
  if (!target) throw new Error('the webhook is there');
  expect(await disableFailingWebhook(project, target, 'HTTP 410')).toBe(true);
  expect(await noticesOf(project, other)).toEqual([]);
  for (const id of [dead, disabled]) {
    expect(
      await project.sql`
      select from follower_positions where follower_id = ${id} and session_id = ${dead}`,
    ).toEqual([]);
  }
  await changeWebhook(project, { id: dead, projectId, by }, { status: 'active' });
  await project.sql`delete from follower_positions where follower_id = ${dead}`;
  const later = await giveUp(project, dead);
  expect(await noticesOf(project, other)).toMatchObject([['webhook.dead', { sessionId: later }]]);
});

test('a webhook that is disabled, because nothing was taken, is told once', async ({ project }) => {
  const [dead, other] = [await addWebhook(project), await addWebhook(project)];
  const target = await findWebhookTarget(project, dead);
  if (!target) throw new Error('the webhook is there');
  const stale = { ...target, updatedAt: '2020-01-01T00:00:00Z' };
  expect(await disableFailingWebhook(project, stale, null)).toBe(false);
  expect(await disableFailingWebhook(project, target, 'HTTP 410')).toBe(true);
  expect(await disableFailingWebhook(project, target, 'HTTP 410')).toBe(false);
  expect(await noticesOf(project, other)).toMatchObject([
    ['webhook.dead', { webhookId: dead, sessionId: null, failure: 'HTTP 410' }],
  ]);
});

test('two dead webhooks do not tell each other without end', async ({ project }) => {
  const [one, two] = [await addWebhook(project), await addWebhook(project)];
  await giveUp(project, one);
  await project.sql`delete from follower_positions where session_id = ${one}`;
  await giveUp(project, two, 'webhook.dead', one);
  const told = await project.sql`select session_id from session_events where type = 'webhook.dead'`;
  expect(told).toEqual([{ session_id: one }]);
  // There is a notice, however, of a message that the second webhook does not take.
  await giveUp(project, two);
  expect(
    await project.sql`
    select session_id from session_events where session_id = ${two}`,
  ).toHaveLength(1);
});
