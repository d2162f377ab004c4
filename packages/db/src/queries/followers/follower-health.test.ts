import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { noteFollowerFailure, noteFollowerSuccess } from './follower-health.ts';
import { markFollowers } from './follower-marks.ts';

const TIMES = { firstMs: 10_000, longestMs: 60_000, horizonMs: 3_600_000 };

const followerOf = async ({ sql }: TestProject) => {
  const [row] = await sql<{ failures: number; restMs: number | null }[]>`
    select failures, (extract(epoch from retry_at - now()) * 1000)::float8 as "restMs" from followers`;
  return { failures: row?.failures, restMs: row?.restMs ?? null };
};

/** Ends the time for which the follower rests. */
const endRest = async ({ sql }: TestProject) =>
  await sql`update followers set retry_at = now() - interval '1 ms'`;

test('from the fifth failure in a row on it rests, each time twice as long, up to a limit', async ({
  project,
}) => {
  const id = await addWebhook(project);
  const rests: (number | null)[] = [];
  for (let turn = 0; turn < 9; turn += 1) {
    expect(await noteFollowerFailure(project, id, TIMES)).toBe(false);
    const { restMs } = await followerOf(project);
    rests.push(restMs === null ? null : Math.round(restMs / 10_000));
    if (restMs !== null) await endRest(project);
  }
  expect(rests).toEqual([null, null, null, null, 1, 2, 4, 6, 6]);
});

test('many requests that fail at once are one reason to rest, not many', async ({ project }) => {
  const id = await addWebhook(project);
  const failing = Array.from({ length: 24 }, () => noteFollowerFailure(project, id, TIMES));
  await Promise.all(failing);
  const { failures, restMs } = await followerOf(project);
  expect(failures).toBe(5);
  expect(restMs).toBeLessThanOrEqual(TIMES.firstMs);
});

test('a follower that has taken nothing for the whole horizon is named', async ({ project }) => {
  const id = await addWebhook(project);
  await noteFollowerFailure(project, id, TIMES);
  await project.sql`update followers set failing_since = now() - interval '61 min'`;
  expect(await noteFollowerFailure(project, id, TIMES)).toBe(true);
});

test('after a night of failures the first success makes all sessions due, but those that are being sent', async ({
  project,
}) => {
  const { sql } = project;
  const id = await addWebhook(project);
  const sessions = await project.newSessions(2);
  await appendMessages(
    project,
    sessions.map((sessionId) => typedText(sessionId)),
  );
  await markFollowers(project, sessions);
  const [waiting, sent] = sessions;
  await sql`update followers set failures = 9, failing_since = now(), retry_at = now()`;
  await sql`
    update follower_positions set failing_since = now(),
      next_attempt_at = now() + case when session_id = ${waiting ?? ''} then interval '2 h' else interval '50 s' end`;
  await noteFollowerSuccess(project, id);
  const due = await sql`select session_id from follower_positions where next_attempt_at <= now()`;
  expect(due.map((row) => row['session_id'])).toEqual([waiting]);
  expect(sent).toBeDefined();
  expect(await followerOf(project)).toEqual({ failures: 0, restMs: null });
});
