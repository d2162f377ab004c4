import { expect } from 'vitest';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { fillAll } from '../../../testing/search.ts';
import { updateProject } from '../accounts/projects.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { searchMessages } from '../messages/message-search.ts';
import { insertSession } from '../sessions/session-insertion.ts';
import { SEARCH_FOLLOWER_ID } from './follower-claims.ts';
import { markFollowers } from './follower-marks.ts';
import { claimSearchSessions, fillSearchIndex } from './search-index.ts';
import { reindexSessions } from './search-language.ts';

const LEASE_MS = 60_000;

async function choose(project: TestProject, searchLanguage: string | null): Promise<void> {
  await updateProject(project, project.projectId, { searchLanguage });
}

async function find(project: TestProject, q: string) {
  const { projectId, userId } = project;
  const found = await searchMessages(project, { projectId, userId, q, limit: 9 }, 2000);
  return { found: found?.messages.length, isReindexing: found?.isReindexing };
}

async function say(project: TestProject, sessionId: string, content: string): Promise<void> {
  await appendMessages(project, [typedText(sessionId, { content })]);
  await markFollowers(project, [sessionId]);
}

test('after a change of the language all sessions of the project are indexed again, the newest messages first', async ({
  project,
}) => {
  const { sql } = project;
  const sessions = await project.newSessions(3);
  const { projectId, userId } = await project.newProject();
  const other = { id: crypto.randomUUID(), projectId, name: 'another', createdBy: userId };
  await insertSession(project, other);
  for (const sessionId of [other.id, ...sessions]) await say(project, sessionId, 'the keys');
  await fillAll(project);
  expect(await find(project, 'key')).toEqual({ found: 0, isReindexing: false });
  await choose(project, 'english');
  expect((await find(project, 'key')).isReindexing).toBe(true);
  expect(await reindexSessions(project)).toBe(3);
  // Compares more than the order: two sessions may have a message of the same millisecond.
  const behind = await sql`
    select stored.session_id as id, stored.next_attempt_at = head.last_at as "isByNewest"
    from follower_positions stored
    join session_heads head on head.session_id = stored.session_id
    where stored.wanted > stored.position
    order by stored.session_id desc`;
  expect(behind).toEqual(
    sessions
      .toSorted()
      .toReversed()
      .map((id) => ({ id, isByNewest: true })),
  );
  expect(await reindexSessions(project)).toBeUndefined();
  await fillAll(project);
  expect(await find(project, 'key')).toEqual({ found: 3, isReindexing: false });
  await choose(project, 'english');
  expect(await reindexSessions(project)).toBeUndefined();
  await choose(project, null);
  await fillAll(project);
  expect(await find(project, 'key')).toEqual({ found: 0, isReindexing: false });
});

test('a project with many sessions is set back in parts, and goes on from the newest at another change', async () => {
  await using project = await createTestProject();
  const { fill, projectId, userId } = project;
  await fill`
    with session as (
      insert into sessions (id, project_id, name, created_by, created_at)
      select gen_random_uuid(), ${projectId}, 'many', ${userId}, now() - n / 10 * interval '1 s'
      from generate_series(1, 1105) n
      returning id
    )
    insert into follower_positions (follower_id, session_id, position, wanted)
    select ${SEARCH_FOLLOWER_ID}, id, now(), now() from session`;
  await choose(project, 'english');
  // Ten sessions were created at the same time, and a batch includes all ten.
  expect(await reindexSessions(project)).toBe(1009);
  expect(await reindexSessions(project)).toBe(96);
  expect(await reindexSessions(project)).toBeUndefined();
  await choose(project, 'german');
  expect(await reindexSessions(project)).toBe(1009);
  await choose(project, 'french');
  expect(await reindexSessions(project)).toBe(1009);
});

test('what a process indexes in the former language meanwhile is indexed again, and one that was frozen writes nothing', async () => {
  await using project = await createTestProject();
  const sessionId = await project.newSession();
  await say(project, sessionId, 'the keys');
  const claims = await claimSearchSessions(project, LEASE_MS);
  const { promise: goOn, resolve: end } = Promise.withResolvers<void>();
  const { promise: filled, resolve: hasFilled } = Promise.withResolvers<void>();
  const filling = project.sql.begin(async (sql) => {
    await fillSearchIndex({ sql }, claims);
    hasFilled();
    await goOn;
  });
  await filled;
  await choose(project, 'english');
  const settingBack = reindexSessions(project);
  const waiting = () => project.sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  end();
  await filling;
  expect(await settingBack).toBe(1);
  expect(await fillSearchIndex(project, claims)).toEqual({ filled: 0, moved: 0 });
  await fillAll(project);
  expect(await find(project, 'key')).toEqual({ found: 1, isReindexing: false });
});
