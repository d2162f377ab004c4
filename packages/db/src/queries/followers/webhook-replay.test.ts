import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { markFollowers } from './follower-marks.ts';
import { replayWebhook } from './webhook-replay.ts';

test('a replay sets positions back, ends claims and tries again what was given up; never forward', async ({
  project,
}) => {
  const { projectId, sql, userId: by } = project;
  const id = await addWebhook(project);
  const sessions = await project.newSessions(2);
  await appendMessages(
    project,
    sessions.map((sessionId) => typedText(sessionId)),
  );
  await markFollowers(project, sessions);
  await sql`update follower_positions set position = wanted, dead_at = now(), claim = 7`;
  const changed = { id, projectId, by };
  const since = '2020-01-01T00:00:00.000Z';
  const [sessionId = ''] = sessions;
  expect(await replayWebhook(project, changed, { sessionId, since })).toBe(1);
  const [row] = await sql`
    select wanted > position as "isBehind", dead_at, claim from follower_positions where session_id = ${sessionId}`;
  expect(row).toEqual({ isBehind: true, dead_at: null, claim: '8' });
  expect(await replayWebhook(project, changed, { sessionId: null, since })).toBe(2);
  const never = { sessionId: null, since: '2999-01-01T00:00:00.000Z' };
  expect(await replayWebhook(project, changed, never)).toBe(0);
  expect(await sql`select from follower_positions where claim > 9`).toHaveLength(0);
  await sql`update follower_positions set dead_at = now() where session_id = ${sessionId}`;
  expect(await replayWebhook(project, changed, never)).toBe(1);
  expect(
    await sql`select from follower_positions where position > '2020-01-01T00:00:00Z'`,
  ).toHaveLength(0);
});
