import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { followSession } from './followed-versions.ts';
import {
  advanceFollower,
  claimFollowers,
  type FollowerClaim,
  forgetSessionOfFollower,
  listDueWebhooks,
} from './follower-claims.ts';
import { noteFollowerSuccess } from './follower-health.ts';
import { markFollowers } from './follower-marks.ts';
import { REVIVE_FOLLOWER } from './webhook-changes.ts';

const LEASE_MS = 60_000;

/** Stores a webhook that is behind in `count` sessions of the project. */
async function behind(project: TestProject, count = 1): Promise<string> {
  const id = await addWebhook(project);
  const sessions = await project.newSessions(count);
  await appendMessages(
    project,
    sessions.map((sessionId) => typedText(sessionId)),
  );
  await markFollowers(project, sessions);
  return id;
}

const claim = async (project: TestProject, id: string, most = 1) =>
  await claimFollowers(project, new Map([[id, most]]), LEASE_MS);

async function claimOne(project: TestProject, id: string): Promise<FollowerClaim> {
  const [claimed] = await claim(project, id);
  if (!claimed) throw new Error('nothing is due');
  return claimed;
}

const expire = async ({ sql }: TestProject) =>
  await sql`update follower_positions set next_attempt_at = now() - interval '1 ms'`;

test('a session has one claimant until its lease expires', async ({ project }) => {
  const id = await behind(project, 3);
  expect(await listDueWebhooks(project)).toEqual([id]);
  const claims = await Promise.all([claim(project, id, 8), claim(project, id, 8)]);
  expect(claims.flat()).toHaveLength(3);
  expect(new Set(claims.flat().map(({ sessionId }) => sessionId)).size).toBe(3);
  expect(await claim(project, id)).toEqual([]);
  expect(await listDueWebhooks(project)).toEqual([]);
  await expire(project);
  expect(await claim(project, id, 8)).toHaveLength(3);
});

test('who lost the claim moves nothing, and forgets nothing', async ({ project }) => {
  const id = await behind(project);
  const frozen = await claimOne(project, id);
  await expire(project);
  const other = await claimOne(project, id);
  expect(await advanceFollower(project, frozen, '2999-01-01T00:00:00.000Z', 0)).toBe(false);
  await forgetSessionOfFollower(project, frozen, null);
  expect(await advanceFollower(project, other, other.position, LEASE_MS)).toBe(true);
});

test('after a kill between the request and the position the same version comes again', async ({
  project,
}) => {
  const id = await behind(project);
  const killed = await claimOne(project, id);
  const read = async ({ sessionId, position }: FollowerClaim) =>
    (await followSession(project, { sessionId, position, limit: 20 }))?.versions;
  const sent = await read(killed);
  // The creation of the session, and the message.
  expect(sent).toHaveLength(2);
  await expire(project);
  const next = await claimOne(project, id);
  expect(await read(next)).toEqual(sent);
  expect(next).toMatchObject({ sessionId: killed.sessionId, position: killed.position });
});

test('a position never goes back, and a renewed lease counts as no success', async ({
  project,
}) => {
  const id = await behind(project);
  await project.sql`update follower_positions set attempts = 3, failure = 'HTTP 500', failing_since = now()`;
  const claimed = await claimOne(project, id);
  expect(claimed.attempts).toBe(3);
  const stored = async () => {
    const [row] = await project.sql`
      select position::text, attempts, failure from follower_positions`;
    return row;
  };
  await advanceFollower(project, claimed, claimed.position, LEASE_MS);
  expect(await stored()).toMatchObject({ attempts: 3, failure: 'HTTP 500' });
  await advanceFollower(project, claimed, '2030-01-01T00:00:00.000Z', 0);
  await advanceFollower(project, claimed, '2020-01-01T00:00:00.000Z', 0);
  expect(await stored()).toEqual({
    position: '2030-01-01 00:00:00+00',
    attempts: 0,
    failure: null,
  });
});

test('what rests, is given up or is disabled is not claimed; after five failures one session is tried', async ({
  project,
}) => {
  const { sql } = project;
  const id = await behind(project, 3);
  for (const fault of [
    sql`update followers set retry_at = now() + interval '1 h'`,
    sql`update followers set retry_at = null, status = 'disabled'`,
    sql`update follower_positions set dead_at = now()`,
  ]) {
    await fault;
    expect([await listDueWebhooks(project), await claim(project, id, 8)]).toEqual([[], []]);
  }
  await sql`update follower_positions set dead_at = null`;
  await sql`update followers set status = 'active', failures = 5`;
  expect(await claim(project, id, 8)).toHaveLength(1);
});

test('one of many sessions at a time: never more than eight for one call', async ({ project }) => {
  const id = await behind(project, 10);
  expect(await claim(project, id, 20)).toHaveLength(8);
  expect(await claim(project, id, 20)).toHaveLength(2);
});

test('the position of a deleted session is forgotten', async ({ project }) => {
  const id = await behind(project);
  await project.sql`delete from session_heads`;
  const claimed = await claimOne(project, id);
  const { sessionId, position } = claimed;
  expect(await followSession(project, { sessionId, position, limit: 20 })).toBeUndefined();
  await forgetSessionOfFollower(project, claimed, null);
  expect(await project.sql`select from follower_positions`).toHaveLength(0);
});

test.for([
  ['takes again', noteFollowerSuccess],
  ['is activated', REVIVE_FOLLOWER],
] as const)(
  'a webhook that %s leaves a claim alone that began during its transaction',
  async ([, note], { project }) => {
    const id = await behind(project);
    await project.sql`update followers set failures = 9 where id = ${id}`;
    await inTransaction(project, async (transaction) => {
      await transaction.sql`select now()`;
      await claimOne(project, id);
      await note(transaction, id);
    });
    expect(await claim(project, id)).toEqual([]);
  },
);
