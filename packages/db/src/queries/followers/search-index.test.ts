import * as fc from 'fast-check';
import { NIL, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addSearchFollower, fillAll } from '../../../testing/search.ts';
import type { NewMessageRow } from '../../schema/messages.ts';
import { updateProject } from '../accounts/projects.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { deleteMessages, deleteSession, markSessionDeleted } from '../sessions/deletions.ts';
import { SEARCH_FOLLOWER_ID } from './follower-claims.ts';
import { markFollowers, markFollowersFrom } from './follower-marks.ts';
import {
  claimSearchSessions,
  deleteSearchRows,
  fillSearchIndex,
  postponeSearchSession,
} from './search-index.ts';

const LEASE_MS = 60_000;

const wordsOf = async ({ sql }: TestProject) =>
  (
    await sql<{ words: string }[]>`
      select array_to_string(tsvector_to_array(ts_filter(setweight(words, 'a'), '{a}')), ' ') as words
      from message_search order by seen_at`
  ).map(({ words }) => words.replace(/ ?\b[\da-f]{12}p\b/, ''));

async function store(project: TestProject, ...rows: NewMessageRow[]): Promise<void> {
  await addSearchFollower(project);
  await appendMessages(project, rows);
  await markFollowers(project, [...new Set(rows.map(({ sessionId }) => sessionId))]);
}

test('what people and agents said is indexed, in lower case, and nothing else', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await store(
    project,
    typedText(sessionId, { content: 'ÜBER den ΣΊΣΥΦΟΣ' }),
    typedText(sessionId, { content: 'I heard', kind: 'transcript', role: 'assistant' }),
    typedText(sessionId, {
      content: 'a report',
      kind: 'state_change_notification',
      role: 'system',
    }),
    typedText(sessionId, { content: '🙂' }),
  );
  await fillAll(project);
  expect(await wordsOf(project)).toEqual(['den über σίσυφοσ', 'heard i', '🙂']);
});

test('a text that grows is found by its newest words, and one that is erased no more', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const growing = typedText(sessionId, { status: 'pending', content: 'one' });
  await store(project, growing);
  await fillAll(project);
  await store(project, { ...growing, status: 'complete', content: 'one two' });
  await fillAll(project);
  expect(await wordsOf(project)).toEqual(['one two']);
  await project.sql`
    with moved as (update session_heads set last_at = last_at + interval '1 ms' returning last_at)
    update messages set content = '', erased_at = now(), completed_at = (select last_at from moved)`;
  await fillAll(project);
  expect(await wordsOf(project)).toEqual([]);
});

test('a new message does not wait for old ones: neither of its own session nor of others', async ({
  project,
}) => {
  const [long = '', ...others] = await project.newSessions(150);
  const old = Array.from({ length: 250 }, (_, n) => typedText(long, { content: `old${n}` }));
  await appendMessages(project, old);
  await appendMessages(
    project,
    others.map((sessionId) => typedText(sessionId, { content: 'other' })),
  );
  await addSearchFollower(project);
  await project.sql`update session_heads set last_at = last_at - interval '1 h' where session_id <> ${long}`;
  await markEverything(project);
  await store(project, typedText(long, { content: 'new' }));
  await fillSearchIndex(project, await claimSearchSessions(project, LEASE_MS));
  const first = await wordsOf(project);
  expect(first).toContain('new');
  expect(first).toContain('old0');
  expect(first).not.toContain('old200');
  await fillAll(project);
  expect(await wordsOf(project)).toHaveLength(251 + 149);
});

/** Marks all sessions, as the first look after an update does. */
async function markEverything(project: TestProject): Promise<void> {
  await markFollowersFrom(project, NIL, 1000);
}

test('a message of the greatest size is indexed, and one that cannot be waits alone', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  // The parser makes three words of each of these. No other 65,536 characters have a longer result.
  const worst = Array.from({ length: 8000 }, (_, n) => `𐐀${n}-𐐀${n}b`).join(' ');
  await store(project, typedText(sessionId, { content: worst }));
  const [claim] = await claimSearchSessions(project, LEASE_MS);
  if (!claim) throw new Error('nothing is due');
  await postponeSearchSession(project, claim, 'too long');
  expect(await claimSearchSessions(project, LEASE_MS)).toEqual([]);
  await project.sql`update follower_positions set next_attempt_at = now()`;
  await fillAll(project);
  expect(await wordsOf(project)).toHaveLength(1);
  const rows = await project.sql`select attempts, failure from follower_positions`;
  expect(rows).toEqual([{ attempts: 0, failure: null }]);
});

test('the index is filled without being read, although PostgreSQL takes it for empty', async () => {
  await using project = await createTestProject();
  const sessions = await project.newSessions(3);
  await project.sql`vacuum analyze message_search`;
  for (let turn = 0; turn < 3; turn += 1) {
    await store(project, ...sessions.map((sessionId) => typedText(sessionId)));
    await fillAll(project);
  }
  await project.sql`select pg_stat_force_next_flush()`;
  const [reads] = await project.sql`
    select seq_scan::int as "seqScan", n_tup_ins::int as inserted
    from pg_stat_user_tables where relname = 'message_search'`;
  expect(reads).toEqual({ seqScan: 0, inserted: 9 });
});

test('the words of a deleted session are deleted, also those that a process is just writing', async () => {
  await using project = await createTestProject();
  const sessionId = await project.newSession();
  await store(project, typedText(sessionId), typedText(sessionId));
  const claims = await claimSearchSessions(project, LEASE_MS);
  const { promise: goOn, resolve: end } = Promise.withResolvers<void>();
  const { promise: filled, resolve: hasFilled } = Promise.withResolvers<void>();
  const filling = project.sql.begin(async (sql) => {
    await fillSearchIndex({ sql }, claims);
    hasFilled();
    await goOn;
  });
  await filled;
  const deleting = markSessionDeleted(project, sessionId).then(async () => {
    return await deleteSearchRows(project, sessionId, 100);
  });
  const waiting = () => project.sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  end();
  await filling;
  expect(await deleting).toBe(2);
  await deleteMessages(project, sessionId, 100);
  await deleteSession(project, sessionId);
  expect(await project.sql`select from message_search`).toHaveLength(0);
  expect(
    await project.sql`select from follower_positions where follower_id = ${SEARCH_FOLLOWER_ID}`,
  ).toHaveLength(0);
});

test('a session that was deleted before it was filled is forgotten', async ({ project }) => {
  const sessionId = await project.newSession();
  await store(project, typedText(sessionId));
  const claims = await claimSearchSessions(project, LEASE_MS);
  await project.sql`delete from session_heads`;
  expect(await fillSearchIndex(project, claims)).toEqual({ filled: 0, moved: 0 });
  expect(await project.sql`select from follower_positions`).toHaveLength(0);
});

interface Step {
  readonly kind: 'append' | 'delete' | 'erase' | 'fill' | 'grow' | 'kill' | 'translate';
  readonly session: number;
  readonly word: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'append',
    'append',
    'append',
    'grow',
    'grow',
    'erase',
    'delete',
    'fill',
    'kill',
    'translate',
  ),
  session: fc.nat(2),
  word: fc.constantFrom('one', 'words', 'Über'),
});

test('after any history the index equals the table', async ({ project }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { sql } = project;
      await sql`truncate message_search, messages, follower_positions`;
      const sessions = await project.newSessions(3);
      const pending = new Map<string, NewMessageRow>();
      for (const taken of steps) await take(project, taken, sessions, pending);
      await sql`update follower_positions set next_attempt_at = now() where next_attempt_at > now()`;
      await fillAll(project);
      const rows = await sql`
        select coalesce(said.id, entry.message_id) as id, said.words as wanted, entry.words as found
        from (
          select message.session_id, message.id,
            to_tsvector(coalesce(project.search_language, 'simple')::regconfig, lower(message.content collate "pg_c_utf8")) as words
          from messages message join session_heads head using (session_id)
          cross join projects project
          where message.erased_at is null
        ) said
        full join message_search entry on entry.session_id = said.session_id and entry.message_id = said.id
        where entry.message_id is null or said.id is null
          or tsvector_to_array(said.words) <> array_remove(tsvector_to_array(entry.words), left(md5(entry.project_id::text), 12) || 'p')`;
      expect([...rows]).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

async function take(
  project: TestProject,
  taken: Step,
  sessions: readonly string[],
  pending: Map<string, NewMessageRow>,
): Promise<void> {
  const { sql } = project;
  if (taken.kind === 'fill') return await fillAll(project);
  if (taken.kind === 'kill') {
    // This process does nothing more, so its lease expires.
    await claimSearchSessions(project, LEASE_MS);
    await sql`update follower_positions set next_attempt_at = now() where next_attempt_at > now()`;
    return;
  }
  if (taken.kind === 'translate') {
    const searchLanguage = [null, 'english', 'german'][taken.session];
    return await updateProject(project, project.projectId, { searchLanguage });
  }
  const sessionId = sessions[taken.session] ?? '';
  if (taken.kind === 'append') {
    const row = typedText(sessionId, { id: uuidv7(), status: 'pending', content: taken.word });
    pending.set(sessionId, row);
    await store(project, row);
  } else if (taken.kind === 'grow') {
    const row = pending.get(sessionId);
    if (!row) return;
    const grown = { ...row, content: `${row.content} ${taken.word}` };
    pending.set(sessionId, grown);
    await store(project, grown);
  } else if (taken.kind === 'erase') {
    await sql`
      with moved as (
        update session_heads set last_at = greatest(last_at, clock_timestamp()) + interval '1 ms'
        where session_id = ${sessionId} returning last_at
      )
      update messages set content = '', status = 'complete', erased_at = now(), completed_at = moved.last_at
      from moved
      where session_id = ${sessionId}
        and id = (select id from messages where session_id = ${sessionId} and erased_at is null order by "timestamp" limit 1)`;
    pending.delete(sessionId);
  } else if (await markSessionDeleted(project, sessionId)) {
    while ((await deleteSearchRows(project, sessionId, 1)) > 0);
    await deleteMessages(project, sessionId, 100);
    await deleteSession(project, sessionId);
  }
}
