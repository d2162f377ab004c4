import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { addSearchFollower } from '../../../testing/search.ts';
import { addSequenceFollower, numberedText } from '../../../testing/sequences.ts';
import type { DatabaseAccess } from '../../statement/statement.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { SEQUENCE_FOLLOWER_ID } from './follower-claims.ts';
import { markFollowers } from './follower-marks.ts';
import { claimSearchSessions, fillSearchIndex } from './search-index.ts';
import { claimSequenceSessions, foldSequences } from './sequence-folds.ts';
import { MOST_SESSION_CLAIMS, type SessionClaim } from './session-claims.ts';

const LEASE_MS = 60_000;

const FOLLOWERS = {
  search: {
    add: addSearchFollower,
    claim: claimSearchSessions,
    write: async (database: DatabaseAccess, claims: readonly SessionClaim[]) =>
      Object.values(await fillSearchIndex(database, claims)),
  },
  sequence: {
    add: addSequenceFollower,
    claim: claimSequenceSessions,
    write: async (database: DatabaseAccess, claims: readonly SessionClaim[]) =>
      Object.values(await foldSequences(database, claims, 0)),
  },
};

test.for(['search', 'sequence'] as const)(
  'a process that was frozen writes nothing when it wakes up, and another one reads on: %s',
  async (kind, { project }) => {
    const { add, claim, write } = FOLLOWERS[kind];
    const sessionId = await project.newSession();
    await add(project);
    await appendMessages(project, [numberedText(sessionId, 1)]);
    await markFollowers(project, [sessionId]);
    const frozen = await claim(project, LEASE_MS);
    expect(await claim(project, LEASE_MS)).toEqual([]);
    await project.sql`update follower_positions set next_attempt_at = now() - interval '1 s'`;
    const other = await claim(project, LEASE_MS);
    expect(await write(project, frozen)).toEqual([0, 0]);
    expect(await write(project, other)).toEqual([1, 1]);
    expect(await write(project, frozen)).toEqual([0, 0]);
    expect(await claim(project, LEASE_MS)).toEqual([]);
  },
);

test.for(['search', 'sequence'] as const)(
  'a session is due at the very moment when it is given back, although that time may be rounded up: %s',
  async (kind, { project }) => {
    const { add, claim } = FOLLOWERS[kind];
    const sessionId = await project.newSession();
    await add(project);
    await appendMessages(project, [numberedText(sessionId, 1)]);
    await markFollowers(project, [sessionId]);
    for (let count = 0; count < 20; count += 1) {
      // Within one transaction now() stands still, and half of its values are rounded up.
      const claimed = await project.sql.begin(async (sql) => {
        await sql`update follower_positions set next_attempt_at = now()`;
        return await claim({ sql }, LEASE_MS);
      });
      expect(claimed).toHaveLength(1);
    }
  },
);

test('a session with new messages all the time keeps its place in the queue for missing messages', async ({
  project,
}) => {
  const { sql } = project;
  const busy = await project.newSession();
  await addSequenceFollower(project);
  const say = async (n: number) => {
    await appendMessages(project, [numberedText(busy, n)]);
    await markFollowers(project, [busy]);
  };
  await say(1);
  await sql`update follower_positions set next_attempt_at = now() - interval '2 s'`;
  await sql`
    insert into follower_positions (follower_id, session_id, position, wanted, next_attempt_at)
    select ${SEQUENCE_FOLLOWER_ID}, gen_random_uuid(), 'epoch', now(), now() - interval '1 s'
    from generate_series(1, ${MOST_SESSION_CLAIMS}::int)`;
  await say(2);
  const claims = await claimSequenceSessions(project, LEASE_MS);
  expect(claims).toHaveLength(MOST_SESSION_CLAIMS);
  expect(claims.map(({ sessionId }) => sessionId)).toContain(busy);
  await foldSequences(project, claims, 0);
  // Once the busy session has been read, it waits behind the others.
  await say(3);
  const behind = await sql`
    select session_id as id from follower_positions where wanted > position order by next_attempt_at`;
  expect(behind).toHaveLength(2);
  expect(behind[1]).toEqual({ id: busy });
});
