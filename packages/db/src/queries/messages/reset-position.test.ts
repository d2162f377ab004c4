import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { closeSession } from '../sessions/session-end.ts';
import { appendMessages } from './append-messages.ts';
import { latestMessages } from './latest-messages.ts';

async function read(
  project: TestProject,
  sessionId: string,
  since: string,
  from: string | null = null,
) {
  const { userId } = project;
  const latest = await latestMessages(project, { sessionId, userId, since, limit: 100, from });
  if (!latest) throw new Error('the session is there');
  return latest;
}

const EPOCH = '1970-01-01T00:00:00.000Z';

/** Stores `kept`, then what the restore loses; returns the positions of a reader before and after the loss. */
async function restore(project: TestProject, sessionId: string, lose: () => Promise<unknown>) {
  const { sql } = project;
  const [head] = await sql`select last_at::text from session_heads where session_id = ${sessionId}`;
  const kept = (await read(project, sessionId, EPOCH)).nextSince;
  await lose();
  const { nextSince: lost, lastAt } = await read(project, sessionId, EPOCH);
  await sql`delete from messages where session_id = ${sessionId} and "timestamp" > ${head?.['last_at']}`;
  await sql`
    update messages set completed_at = null, status = 'pending'
    where session_id = ${sessionId} and completed_at > ${head?.['last_at']}`;
  await sql`delete from session_events where session_id = ${sessionId} and seen_at > ${head?.['last_at']}`;
  await sql`update session_heads set last_at = ${head?.['last_at']} where session_id = ${sessionId}`;
  // A message that a spool stores late is lost, although its time is before the time to which the database is restored.
  await sql`
    insert into restores (restored_to, floor_at)
    values (now(), greatest(now(), ${lastAt}::timestamptz) + interval '1 s')`;
  return { kept, lost, lastAt };
}

test('a reader that saw lost messages is reset once, to the end of the restored history; other readers read on', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  const { kept, lost } = await restore(project, sessionId, () =>
    appendMessages(project, [typedText(sessionId)]),
  );
  expect(await read(project, sessionId, kept)).toMatchObject({ isReset: false, nextSince: kept });
  const reset = await read(project, sessionId, lost);
  expect(reset).toMatchObject({ isReset: true, messages: [], hasMore: false });
  // Never an earlier position: a client that ignores resets continues with the later of its positions.
  expect(reset.nextSince > lost).toBe(true);
  expect(await read(project, sessionId, reset.nextSince)).toMatchObject({ isReset: false });
  const later = typedText(sessionId);
  await appendMessages(project, [later]);
  // Even when something was stored since.
  expect(await read(project, sessionId, lost)).toMatchObject({ isReset: true, hasMore: true });
  for (const since of [kept, reset.nextSince, EPOCH]) {
    const on = await read(project, sessionId, since);
    expect(on).toMatchObject({ isReset: false });
    expect(on.messages.at(-1)?.id).toBe(later.id);
  }
  const { nextSince } = await read(project, sessionId, kept);
  expect(await read(project, sessionId, nextSince)).toMatchObject({ isReset: false, messages: [] });
});

test.for(['completion', 'event'] as const)(
  'a lost %s resets a reader too',
  async (what, { project }) => {
    const sessionId = await project.newSession();
    const growing = typedText(sessionId, { status: 'pending' });
    await appendMessages(project, [growing]);
    const { lost, lastAt } = await restore(project, sessionId, () =>
      what === 'event'
        ? closeSession(project, sessionId, 'user')
        : appendMessages(project, [{ ...growing, status: 'complete', content: 'more' }]),
    );
    const since = what === 'event' ? lastAt : lost;
    expect(await read(project, sessionId, since)).toMatchObject({ isReset: true });
  },
);

test('readers of a session that lost nothing are not reset, after any number of restores and later deletions', async ({
  project,
}) => {
  const { sql } = project;
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  await closeSession(project, sessionId, 'user');
  const { lastAt } = await read(project, sessionId, EPOCH);
  await sql`
    insert into restores (floor_at) select now() + n * interval '1 s' from generate_series(1, 3) n`;
  expect(await read(project, sessionId, lastAt)).toMatchObject({ isReset: false });
  // The events of the session are deleted after 30 days, and the head keeps their time.
  await sql`delete from session_events`;
  expect(await read(project, sessionId, lastAt)).toMatchObject({ isReset: false });
});

test('after two restores a reader goes on behind the first that lost something of it', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  const { lost } = await restore(project, sessionId, () =>
    appendMessages(project, [typedText(sessionId)]),
  );
  const { nextSince } = await read(project, sessionId, lost);
  const between = typedText(sessionId);
  await appendMessages(project, [between]);
  const { lost: lostLater } = await restore(project, sessionId, () =>
    appendMessages(project, [typedText(sessionId)]),
  );
  expect(await read(project, sessionId, lostLater)).toMatchObject({ isReset: true });
  expect(await read(project, sessionId, lost)).toMatchObject({ isReset: true, nextSince });
  const on = await read(project, sessionId, nextSince);
  expect(on).toMatchObject({ isReset: false, messages: [{ id: between.id }] });
});

test('a second restore does not reset a reader that the first has sent on', async ({ project }) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  const { lost } = await restore(project, sessionId, () =>
    appendMessages(project, [typedText(sessionId)]),
  );
  const { nextSince } = await read(project, sessionId, lost);
  await project.sql`insert into restores (floor_at) values (now() + interval '3 s')`;
  expect(await read(project, sessionId, nextSince)).toMatchObject({ isReset: false });
});

test('a reader whose history begins in what is gone is reset once at most', async ({ project }) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  let from = '';
  const { lost } = await restore(project, sessionId, async () => {
    await appendMessages(project, [typedText(sessionId)]);
    from = (await read(project, sessionId, EPOCH)).nextSince;
    await appendMessages(project, [typedText(sessionId)]);
  });
  const later = typedText(sessionId);
  await appendMessages(project, [later]);
  expect(await read(project, sessionId, EPOCH, from)).toMatchObject({ isReset: false });
  const reset = await read(project, sessionId, lost, from);
  expect(reset.isReset).toBe(true);
  const { isReset, messages } = await read(project, sessionId, reset.nextSince, from);
  expect({ isReset, ids: messages.map(({ id }) => id) }).toEqual({
    isReset: false,
    ids: [later.id],
  });
});
