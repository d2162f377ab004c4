import { holdLocks } from '@session/testing';
import { NIL, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import type { DatabaseAccess } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { noteFollowerSuccess } from './follower-health.ts';
import {
  markFollowerFrom,
  markFollowers,
  markFollowersFrom,
  type SessionPlace,
} from './follower-marks.ts';
import { REVIVE_FOLLOWER } from './webhook-changes.ts';
import { REPLAY_FOLLOWER } from './webhook-replay.ts';

async function store(project: TestProject): Promise<string> {
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  return sessionId;
}

const positions = async ({ sql }: TestProject) =>
  await sql<{ isBehind: boolean; isDue: boolean }[]>`
    select wanted > position as "isBehind", next_attempt_at > now() - interval '1 min' as "isDue"
    from follower_positions`;

test('a mark is written once, for the webhooks of the project alone', async ({ project }) => {
  const id = await addWebhook(project);
  const other = await project.newProject();
  await addWebhook({ ...project, ...other });
  const sessionId = await store(project);
  const marks = [markFollowers(project, [sessionId]), markFollowers(project, [sessionId])];
  expect((await Promise.all(marks)).flatMap((ids) => [...ids])).toEqual([id]);
  expect(await markFollowers(project, [sessionId])).toEqual(new Set());
  expect(await positions(project)).toMatchObject([{ isBehind: true }]);
});

test('what a webhook begins after, and what is disabled, is not marked', async ({ project }) => {
  const sessionId = await store(project);
  await addWebhook(project, { startsAt: null });
  await addWebhook(project, { startsAt: '2999-01-01T00:00:00.000Z' });
  await project.sql`update session_heads set last_at = now() - interval '1 s'`;
  await project.sql`update followers set status = 'disabled' where starts_at > now()`;
  expect(await markFollowers(project, [sessionId])).toEqual(new Set());
  expect(await markFollowersFrom(project, NIL, 10)).toEqual({ last: sessionId, marked: 0 });
});

test('what is stored in the very moment of the creation is sent', async ({ project }) => {
  const id = await addWebhook(project, { startsAt: null });
  const sessionId = await store(project);
  expect(await markFollowers(project, [sessionId])).toEqual(new Set([id]));
});

test('a session that was quiet is due from its mark on; one that waits for an attempt goes on waiting', async ({
  project,
}) => {
  const { sql } = project;
  await addWebhook(project);
  const sessionId = await store(project);
  await markFollowers(project, [sessionId]);
  await sql`update follower_positions set position = wanted, next_attempt_at = now() - interval '1 day'`;
  await appendMessages(project, [typedText(sessionId)]);
  await markFollowers(project, [sessionId]);
  expect(await positions(project)).toMatchObject([{ isBehind: true, isDue: true }]);
  await sql`update follower_positions set next_attempt_at = now() + interval '2 h'`;
  await appendMessages(project, [typedText(sessionId)]);
  await markFollowers(project, [sessionId]);
  const [row] =
    await sql`select next_attempt_at > now() + interval '1 h' as "isWaiting" from follower_positions`;
  expect(row).toEqual({ isWaiting: true });
});

test('a look over all sessions, in steps, finds what no notification named', async ({
  project,
}) => {
  await addWebhook(project);
  for (let count = 0; count < 3; count += 1) await store(project);
  let after: string | null = NIL;
  const marked: number[] = [];
  while (after !== null) {
    const step: { last: string | null; marked: number } = await markFollowersFrom(
      project,
      after,
      2,
    );
    marked.push(step.marked);
    after = step.last;
  }
  expect(marked).toEqual([2, 1, 0]);
  expect(await positions(project)).toHaveLength(3);
});

test('a look for sessions that have moved lately leaves the others alone', async ({ project }) => {
  const { sql } = project;
  await addWebhook(project);
  const [old = '', moved = '', last = ''] = await project.newSessions(3);
  await sql`
    update session_heads set last_at = now() - interval '2 days' where session_id = any (${[old, last]})`;
  expect(await markFollowersFrom(project, NIL, 10, 86_400_000)).toEqual({ last, marked: 1 });
  expect(await sql`select session_id as id from follower_positions`).toEqual([{ id: moved }]);
  expect(await markFollowersFrom(project, NIL, 10)).toEqual({ last, marked: 2 });
});

test('a webhook is marked in all sessions of its project alone, in steps', async ({ project }) => {
  const id = await addWebhook(project);
  const sessions = await project.newSessions(5);
  await project.sql`delete from session_heads where session_id = ${sessions[1] ?? ''}`;
  const other = await project.newProject();
  await addWebhook({ ...project, ...other });
  let place: SessionPlace | null = { sessionId: NIL, createdAt: '1970-01-01T00:00:00.000Z' };
  const marked: number[] = [];
  while (place !== null) {
    const step: { last: SessionPlace | null; marked: number } = await markFollowerFrom(
      project,
      id,
      place,
      2,
    );
    marked.push(step.marked);
    place = step.last;
  }
  expect(marked).toEqual([1, 2, 1, 0]);
  const rows = await project.sql`select distinct follower_id as id from follower_positions`;
  expect(rows).toEqual([{ id }]);
});

const replay = (database: DatabaseAccess, id: string) =>
  REPLAY_FOLLOWER(database, id, null, '1970-01-01T00:00:00.000Z', NIL);

test.for([
  ['takes again', noteFollowerSuccess],
  ['is activated', REVIVE_FOLLOWER],
  ['is replayed', replay],
] as const)(
  'a webhook that %s locks its positions in the order in which marks lock them',
  async ([, act], { project }) => {
    const { sql, url } = project;
    const id = await addWebhook(project);
    await sql`update followers set failures = 9 where id = ${id}`;
    const [first, second] = [uuidv7(), uuidv7()];
    for (const sessionId of [second, first]) {
      await sql`
        insert into follower_positions (follower_id, session_id, position, wanted, next_attempt_at)
        values (${id}, ${sessionId}, now() - interval '1 h', now(), now() + interval '1 h')`;
    }
    await using lock = await holdLocks(
      url,
      (holder) => holder`update follower_positions set attempts = 1 where session_id = ${first}`,
    );
    const acting = inTransaction(project, async (transaction) => {
      // The plan then has the order of the table.
      await transaction.sql`set local enable_indexscan = off`;
      await act(transaction, id);
    });
    const waiting = () => sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(waiting).toHaveLength(1);
    const free = await sql`
      select from follower_positions where session_id = ${second} for update nowait`;
    expect(free).toHaveLength(1);
    await lock[Symbol.asyncDispose]();
    await acting;
    const left = await sql`select from follower_positions where next_attempt_at > now()`;
    expect(left).toHaveLength(0);
  },
);
