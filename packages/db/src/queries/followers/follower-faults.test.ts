import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { addSearchFollower, fillAll } from '../../../testing/search.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { type Database, openDatabase } from '../../connection/client.ts';
import type { NewMessageRow } from '../../schema/messages.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { eraseMessages } from '../erasures/erased-messages.ts';
import { insertErasure } from '../erasures/erasures.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { closeSession } from '../sessions/session-end.ts';
import { followSession } from './followed-versions.ts';
import { advanceFollower, claimFollowers, type FollowerClaim } from './follower-claims.ts';
import { markFollowers } from './follower-marks.ts';
import { claimSearchSessions, fillSearchIndex } from './search-index.ts';

const BATCHES = 60;
const KILL_EVERY_MS = 40;
/** Shorter than the run, so that other followers take what a killed follower has claimed. */
const LEASE_MS = 100;

test('despite kills, freezes, pairs of writers, growing texts, erasures and a close, a follower has each version once and in order, and the index equals the history', async ({
  project,
}) => {
  const { sql } = project;
  const sessions = [await project.newSession(), await project.newSession()];
  const followerId = await addWebhook(project);
  await addSearchFollower(project);
  await sql`
    create table followed (number bigserial, session_id uuid, seen_at text, message_id uuid, content text)`;
  await using stack = new AsyncDisposableStack();
  const open = () => stack.use(openDatabase(project.url, { connections: 1 }));
  const written = new AbortController();
  const done = new AbortController();
  const working = [
    ...[0, 1].map(() => untilAborted(open(), done.signal, (one) => follow(one, followerId))),
    ...[0, 1].map(() => untilAborted(open(), done.signal, fill)),
    untilAborted(project, written.signal, kill),
  ];
  const batches = Array.from({ length: BATCHES }, (_, index) => batchOf(sessions, index));
  // Each message comes from two recorders, whose clocks differ.
  const pair = [0, 200].map((aheadMs) => write(project, open(), batches, aheadMs));
  const erasing = erase(project, open(), batches);
  await Promise.all([...pair, erasing]);
  await surely(() => closeSession(project, sessions[0] ?? '', 'idle'));
  written.abort();
  await surely(() => markFollowers(project, sessions));
  await expect.poll(() => behind(project), { timeout: 15_000 }).toBe(0);
  done.abort();
  await Promise.all(working);

  const rows = await sql<{ session: string; seenAt: string; id: string; content: string }[]>`
    select session_id as session, seen_at as "seenAt", message_id as id, content from followed order by number`;
  for (const session of sessions) {
    const seen = rows.filter((row) => row.session === session).map(({ seenAt }) => seenAt);
    expect(seen).toEqual([...new Set(seen)].toSorted());
  }
  const followed = new Map(rows.filter(({ id }) => id).map(({ id, content }) => [id, content]));
  const stored = await sql<{ id: string; content: string }[]>`select id, content from messages`;
  expect(followed).toEqual(new Map(stored.map(({ id, content }) => [id, content])));
  expect(stored.filter(({ content }) => content === '').length).toBeGreaterThan(0);
  await fillAll(project);
  const indexed = await sql<{ id: string }[]>`select message_id as id from message_search`;
  const said = stored.filter(({ content }) => content !== '');
  expect(new Set(indexed.map(({ id }) => id))).toEqual(new Set(said.map(({ id }) => id)));
}, 60_000);

/** Returns for each session a text that is pending at first and grows twice, and a text that is complete at once. */
function batchOf(sessions: readonly string[], index: number): NewMessageRow[][] {
  const growing = sessions.map((id) => typedText(id, { status: 'pending', content: 'one' }));
  const whole = sessions.map((id) => typedText(id, { content: `whole ${index}` }));
  const grown = (content: string, status: 'complete' | 'pending') =>
    growing.map((row) => ({ ...row, content, status }));
  return [[...growing, ...whole], grown('one two', 'pending'), grown('one two three', 'complete')];
}

async function write(
  { sql }: TestProject,
  own: Database,
  batches: readonly NewMessageRow[][][],
  aheadMs: number,
): Promise<void> {
  for (const rows of batches.flat()) {
    const receivedAt = Date.now() + aheadMs;
    await surely(() =>
      appendMessages(
        own,
        rows.map((row) => ({ ...row, receivedAt })),
      ),
    );
    await surely(() =>
      markFollowers(
        { sql },
        rows.map(({ sessionId }) => sessionId),
      ),
    );
  }
}

async function erase(project: TestProject, own: Database, batches: readonly NewMessageRow[][][]) {
  const { projectId, userId: requestedBy } = project;
  for (const [index, [rows = []]] of batches.entries()) {
    const row = rows[index % rows.length];
    if (!row || index % 3 > 0) continue;
    const { sessionId, id } = row;
    const scope = { sessionId, messageIds: [id], identity: null, userId: null };
    const erasureId = uuidv7();
    await surely(() => insertErasure(own, { id: erasureId, projectId, requestedBy, ...scope }));
    await surely(async () => {
      const { erased } = await eraseMessages(own, { sessionId, ids: [id], erasureId });
      if (erased === 0) throw new Error('the message is not stored yet');
    });
    await surely(() => markFollowers(project, [sessionId]));
  }
}

async function follow(database: Database, followerId: string): Promise<void> {
  const claims = await claimFollowers(database, new Map([[followerId, 8]]), LEASE_MS);
  for (const claim of claims) await followOne(database, claim);
}

async function followOne(database: Database, claim: FollowerClaim): Promise<void> {
  const { sessionId } = claim;
  await inTransaction(database, async (transaction) => {
    const page = await followSession(transaction, { ...claim, limit: 20 });
    // Freezes now and then, so that another follower takes the session.
    if (Number(claim.claim) % 10 === 0) await sleep(2 * LEASE_MS);
    for (const version of page?.versions ?? []) {
      const [id, content] = 'content' in version ? [version.id, version.content] : [null, null];
      await transaction.sql`
        insert into followed (session_id, seen_at, message_id, content)
        values (${sessionId}, ${version.seenAt}, ${id}, ${content})`;
    }
    const isOurs = page && (await advanceFollower(transaction, claim, page.end, 0));
    if (!isOurs) throw new Error('another follower has the session');
  });
}

async function fill(database: Database): Promise<void> {
  await fillSearchIndex(database, await claimSearchSessions(database, LEASE_MS));
}

/** Kills a connection other than this one. */
async function kill({ sql }: Pick<TestProject, 'sql'>): Promise<void> {
  await sleep(KILL_EVERY_MS);
  await sql`
    select pg_terminate_backend(pid) from (
      select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
      order by random() limit 1
    ) one`;
}

/** Repeats the work until it succeeds, because its connection may be killed meanwhile. */
async function surely(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch {
      await sleep(1);
    }
  }
}

async function untilAborted<One>(
  database: One,
  stop: AbortSignal,
  work: (database: One) => Promise<void>,
): Promise<void> {
  while (!stop.aborted) {
    await work(database).catch(() => {});
    await sleep(1);
  }
}

async function behind({ sql }: TestProject): Promise<number> {
  const [row] =
    await sql`select count(*)::int as count from follower_positions where wanted > position`;
  return row?.['count'];
}
