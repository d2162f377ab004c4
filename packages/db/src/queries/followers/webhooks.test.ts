import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { closeSession } from '../sessions/session-end.ts';
import { followSession } from './followed-versions.ts';
import { markFollowers } from './follower-marks.ts';
import { findWebhook, listWebhooks } from './webhooks.ts';

test('the newest first, for members alone, and none of another project', async ({ project }) => {
  const { projectId, userId } = project;
  expect(await listWebhooks(project, { projectId, userId })).toEqual({
    memberRole: 'OWNER',
    webhooks: [],
  });
  const ids = [await addWebhook(project), await addWebhook(project)];
  const other = await project.newProject();
  await addWebhook({ ...project, ...other });
  const found = await listWebhooks(project, { projectId, userId });
  expect(found?.webhooks.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(await listWebhooks(project, { projectId, userId: other.userId })).toBeUndefined();
  const [id = ''] = ids;
  expect(await findWebhook(project, { id, userId: other.userId })).toBeUndefined();
});

test('what it shows of its sessions: how many are behind, since when, and why', async ({
  project,
}) => {
  const { sql, userId } = project;
  const id = await addWebhook(project);
  const find = async () => (await findWebhook(project, { id, userId }))?.webhook;
  expect(await find()).toMatchObject({
    status: 'active',
    behindSessions: 0,
    behindSince: null,
    failingSince: null,
    lastFailure: null,
  });
  const addPosition = async (position: string, fault: object = {}) => {
    const row = { follower_id: id, session_id: crypto.randomUUID(), position, ...fault };
    await sql`insert into follower_positions ${sql({ ...row, wanted: '2026-01-03T00:00:00Z' })}`;
  };
  // Nothing of these sessions is stored any more.
  const behindSince = '2026-01-03T00:00:00.000Z';
  await addPosition('2026-01-03T00:00:00Z');
  await addPosition('2026-01-02T00:00:00Z');
  expect(await find()).toMatchObject({
    status: 'active',
    behindSessions: 1,
    behindSince,
  });
  const failure = { failure: 'HTTP 500', failing_since: '2026-01-02T08:00:00Z' };
  await addPosition('2026-01-01T00:00:00Z', failure);
  expect(await find()).toMatchObject({
    status: 'failing',
    behindSessions: 2,
    behindSince,
    failingSince: '2026-01-02T08:00:00.000Z',
    lastFailure: 'HTTP 500',
  });
  await addPosition('2025-01-01T00:00:00Z', { ...failure, dead_at: '2026-01-02T09:00:00Z' });
  expect(await find()).toMatchObject({ status: 'dead', behindSessions: 2 });
  await sql`update followers set status = 'disabled'`;
  expect(await find()).toMatchObject({ status: 'disabled', lastFailure: 'HTTP 500' });
});

test('a webhook from the beginning is behind since the creation of a session, not since 1970', async ({
  project,
}) => {
  const { sql, userId } = project;
  const id = await addWebhook(project);
  const sessionId = await project.newSession();
  const [session] = await sql`select created_at as at from sessions where id = ${sessionId}`;
  await markFollowers(project, [sessionId]);
  const found = await findWebhook(project, { id, userId });
  expect(found?.webhook.behindSince).toBe(session?.['at']);
});

test('a webhook is behind since the first message or event that waits, not since the one that was sent last', async ({
  project,
}) => {
  const { sql, userId } = project;
  const [told, closed] = [await project.newSession(), await project.newSession()];
  const id = await addWebhook(project);
  await markFollowers(project, [told, closed]);
  await sql`update follower_positions set position = '2026-01-01T00:00:00Z', wanted = position`;
  await sql`update sessions set created_at = '2025-12-01T00:00:00Z'`;
  const find = async () => (await findWebhook(project, { id, userId }))?.webhook.behindSince;
  const growing = typedText(told, { status: 'pending', content: 'one' });
  await appendMessages(project, [growing]);
  await appendMessages(project, [typedText(told)]);
  await appendMessages(project, [{ ...growing, status: 'complete', content: 'one two' }]);
  await closeSession(project, closed, 'user');
  await markFollowers(project, [told, closed]);
  const seenAt = async (sessionId: string) => {
    const position = '2026-01-01T00:00:00Z';
    const found = await followSession(project, { sessionId, position, limit: 3 });
    return found?.versions.map((version) => version.seenAt);
  };
  const [first, second] = (await seenAt(told)) ?? [];
  expect(await find()).toBe(first);
  await sql`update follower_positions set position = ${first ?? ''} where session_id = ${told}`;
  expect(await find()).toBe(second);
  await sql`update follower_positions set position = wanted where session_id = ${told}`;
  expect([await find()]).toEqual(await seenAt(closed));
});
