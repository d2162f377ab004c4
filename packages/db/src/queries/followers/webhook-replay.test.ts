import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { markSessionDeleted } from '../sessions/deletions.ts';
import { insertSession } from '../sessions/session-insertion.ts';
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

test('a replay finds sessions that were deleted since the `from` of the webhook, and a session that is named', async ({
  project,
}) => {
  const { projectId, sql, userId: by } = project;
  const [early = '', late = '', quiet = ''] = await project.newSessions(3);
  const other = await project.newProject();
  await addWebhook({ ...project, ...other });
  await markSessionDeleted(project, early);
  await sql`update session_events set seen_at = now() - interval '1 h'`;
  const id = await addWebhook(project, { startsAt: null });
  await markSessionDeleted(project, late);
  await sql`update session_heads set last_at = now() - interval '1 h' where session_id = ${quiet}`;
  await sql`delete from follower_positions`;
  const replay = async (sessionId: string | null, since = '2020-01-01T00:00:00.000Z') =>
    await replayWebhook(project, { id, projectId, by }, { sessionId, since });
  expect(await replay(null)).toBe(1);
  expect(await replay(null)).toBe(1);
  expect(await sql`select follower_id, session_id from follower_positions`).toEqual([
    { follower_id: id, session_id: late },
  ]);
  expect([await replay(early), await replay(quiet)]).toEqual([1, 1]);
  await sql`delete from follower_positions`;
  const now = new Date().toISOString();
  expect([await replay(early, now), await replay(quiet, now)]).toEqual([0, 0]);
  expect(await sql`select from follower_positions`).toHaveLength(0);
});

test('a replay writes each position once, and none in deleted sessions for a webhook that takes no events', async ({
  project,
}) => {
  const { projectId, sql, userId: by } = project;
  const all = await addWebhook(project);
  const words = await addWebhook(project, { events: ['message.stored'] });
  const ends = await addWebhook(project, { events: ['message.stored', 'session.deleted'] });
  const [gone = '', open = ''] = await project.newSessions(2);
  await markSessionDeleted(project, gone);
  await sql`delete from follower_positions`;
  const given = { sessionId: null, since: '2020-01-01T00:00:00.000Z' };
  for (const [id, count] of [
    [all, 1],
    [words, 0],
    [ends, 1],
  ] as const) {
    expect(await replayWebhook(project, { id, projectId, by }, given)).toBe(count);
  }
  const named = { ...given, sessionId: open };
  expect(await replayWebhook(project, { id: words, projectId, by }, named)).toBe(1);
  const rows = await sql`select xmax::text as replaced, claim from follower_positions`;
  expect(rows.map(({ replaced, claim }) => `${replaced} ${claim}`)).toEqual(['0 0', '0 0', '0 0']);
});

test('a replay in a session of another project finds nothing', async ({ project }) => {
  const { projectId, userId: by } = project;
  const id = await addWebhook(project);
  const other = await project.newProject();
  const sessionId = uuidv7();
  const session = { id: sessionId, projectId: other.projectId, createdBy: other.userId };
  await insertSession(project, { ...session, name: 'a talk' });
  const given = { sessionId, since: '2020-01-01T00:00:00.000Z' };
  expect(await replayWebhook(project, { id, projectId, by }, given)).toBe(0);
  await markSessionDeleted(project, sessionId);
  expect(await replayWebhook(project, { id, projectId, by }, given)).toBe(0);
});

test('a long replay is audited first, and sets positions back in batches: one that waits holds no other', async ({
  project,
}) => {
  const { fill, projectId, sql, url, userId: by } = project;
  const id = await addWebhook(project);
  await fill`
    insert into follower_positions (follower_id, session_id, position, wanted)
    select ${id}, lpad(n::text, 32, '0')::uuid, now(), now() from generate_series(1, 1001) n`;
  await using lock = await holdLocks(
    url,
    (holder) => holder`select from follower_positions order by session_id desc limit 1 for update`,
  );
  const range = { sessionId: null, since: '2020-01-01T00:00:00.000Z' };
  const replaying = replayWebhook(project, { id, projectId, by }, range);
  const waiting = () => sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  const replayed = () => sql`select from follower_positions where wanted > position and claim = 1`;
  expect(await replayed()).toHaveLength(1000);
  const events = await sql`
    select detail ->> 'sessions' as sessions from audit_events where action = 'webhook.replayed'`;
  expect(events).toEqual([{ sessions: '1001' }]);
  await lock[Symbol.asyncDispose]();
  expect(await replaying).toBe(1001);
  expect(await replayed()).toHaveLength(1001);
});
