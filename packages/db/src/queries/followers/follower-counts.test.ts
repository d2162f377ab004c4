import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { countFollowers } from './follower-counts.ts';
import { markFollowers } from './follower-marks.ts';

test('sessions that wait are counted, and for how long the first due one has been due', async ({
  project,
}) => {
  const { sql } = project;
  expect(await countFollowers(project, 'webhook')).toEqual({
    waiting: 0,
    due: 0,
    overdueSeconds: 0,
  });
  await addWebhook(project);
  const sessions = await project.newSessions(3);
  await appendMessages(
    project,
    sessions.map((sessionId) => typedText(sessionId)),
  );
  await markFollowers(project, sessions);
  const [late = '', waiting = '', dead = ''] = sessions;
  await sql`update follower_positions set next_attempt_at = now() + interval '1 h' where session_id = ${waiting}`;
  await sql`update follower_positions set dead_at = now() where session_id = ${dead}`;
  // Within a transaction `now()` stands still.
  const { overdueSeconds, ...counts } = await inTransaction(project, async (moment) => {
    await moment.sql`update follower_positions set next_attempt_at = now() - interval '90 s' where session_id = ${late}`;
    return await countFollowers(moment, 'webhook');
  });
  expect(counts).toEqual({ waiting: 2, due: 1 });
  expect(Math.round(overdueSeconds)).toBe(90);
  await sql`update followers set retry_at = now() + interval '1 h'`;
  expect(await countFollowers(project, 'webhook')).toEqual({
    waiting: 2,
    due: 0,
    overdueSeconds: 0,
  });
});
