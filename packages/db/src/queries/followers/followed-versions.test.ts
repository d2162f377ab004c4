import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { deleteSession, markSessionDeleted } from '../sessions/deletions.ts';
import { closeSession } from '../sessions/session-end.ts';
import { type FollowedVersions, followSession } from './followed-versions.ts';

const EPOCH = '1970-01-01T00:00:00.000Z';

function messagesOf(found: FollowedVersions | undefined) {
  return (found?.versions ?? []).flatMap((version) => ('type' in version ? [] : version));
}

function typesOf(found: FollowedVersions | undefined) {
  return found?.versions.map((version) => ('type' in version ? version.type : version.content));
}

test('each version once, in the order in which it became visible, page by page', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const growing = typedText(sessionId, { status: 'pending', content: 'one' });
  await appendMessages(project, [growing]);
  await appendMessages(project, [typedText(sessionId, { content: 'between' })]);
  await appendMessages(project, [{ ...growing, status: 'complete', content: 'one two' }]);
  const seen: string[] = [];
  let position = EPOCH;
  for (;;) {
    const found = await followSession(project, { sessionId, position, limit: 1 });
    seen.push(...messagesOf(found).map(({ content }) => content));
    if (!found || found.end === position) break;
    position = found.end;
  }
  expect(seen).toEqual(['between', 'one two']);
});

test('what is only pending comes as it stands, and again when it has grown', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const growing = typedText(sessionId, { status: 'pending', content: 'one' });
  await appendMessages(project, [growing]);
  const first = await followSession(project, { sessionId, position: EPOCH, limit: 20 });
  expect(messagesOf(first)).toMatchObject([{ status: 'pending', content: 'one' }]);
  await appendMessages(project, [{ ...growing, content: 'one two' }]);
  const position = first?.end ?? '';
  const second = await followSession(project, { sessionId, position, limit: 20 });
  expect(messagesOf(second)).toMatchObject([
    { id: growing.id, status: 'pending', content: 'one two' },
  ]);
});

test('a page ends after 128 KiB, and the next one begins there', async ({ project }) => {
  const sessionId = await project.newSession();
  const rows = Array.from({ length: 6 }, () =>
    typedText(sessionId, { content: 'x'.repeat(30_000) }),
  );
  await appendMessages(project, rows);
  const first = await followSession(project, { sessionId, position: EPOCH, limit: 20 });
  expect(messagesOf(first).length).toBeLessThan(6);
  expect(first?.end).toBe(first?.versions.at(-1)?.seenAt);
  const rest = await followSession(project, { sessionId, position: first?.end ?? '', limit: 20 });
  const ids = [...messagesOf(first), ...messagesOf(rest)].map(({ id }) => id);
  expect(ids).toEqual(rows.map(({ id }) => id));
});

test('events stand where they happened; a deleted session shows nothing but them', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId, { content: 'hello' })]);
  await closeSession(project, sessionId, 'user');
  await appendMessages(project, [typedText(sessionId, { content: 'bye' })]);
  const all = { sessionId, position: EPOCH, limit: 20 };
  const open = await followSession(project, all);
  expect(typesOf(open)).toEqual(['session.created', 'hello', 'session.closed', 'bye']);
  expect(open).toMatchObject({ isDeleted: false, hasMore: false });
  const positions = open?.versions.map(({ seenAt }) => seenAt) ?? [];
  expect(positions).toEqual([...new Set(positions)].toSorted());
  const data = open?.versions.flatMap((version) => ('type' in version ? version.data : []));
  expect(data).toEqual(['{}', '{"reason": "user"}']);

  await markSessionDeleted(project, sessionId);
  const gone = await followSession(project, { ...all, position: open?.end ?? '' });
  expect(typesOf(gone)).toEqual(['session.deleted']);
  expect(gone).toMatchObject({ isDeleted: true, hasMore: false });
  const fromStart = await followSession(project, all);
  expect(typesOf(fromStart)).toEqual(['session.created', 'session.closed', 'session.deleted']);
  const [first] = (await followSession(project, { ...all, limit: 1 }))?.versions ?? [];
  expect(first).toMatchObject({ type: 'session.created' });
});

test('the session’s own data come as they are now, of a deleted session without the metadata', async ({
  project,
}) => {
  const { sql } = project;
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId), typedText(sessionId)]);
  const read = async () =>
    (await followSession(project, { sessionId, position: EPOCH, limit: 20 }))?.session;
  expect(await read()).toEqual({ externalId: null, metadata: {} });
  await sql`
    update sessions set external_id = 'order-1', metadata = '{"customer": "c-1"}'
    where id = ${sessionId}`;
  expect(await read()).toEqual({ externalId: 'order-1', metadata: { customer: 'c-1' } });
  await markSessionDeleted(project, sessionId);
  expect(await read()).toEqual({ externalId: 'order-1', metadata: null });
  await sql`delete from messages`;
  await deleteSession(project, sessionId);
  expect(await read()).toBeNull();
});

test('undefined for a session that never existed', async ({ project }) => {
  const sessionId = '00000000-0000-4000-8000-000000000000';
  expect(await followSession(project, { sessionId, position: EPOCH, limit: 20 })).toBeUndefined();
});

test('after a restore what is stored above its floor comes, also to a follower that is ahead', async ({
  project,
}) => {
  const { sql } = project;
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  const before = await followSession(project, { sessionId, position: EPOCH, limit: 20 });
  // The restore loses the message, and the version that was sent is older than the floor.
  await sql`delete from messages`;
  await sql`
    insert into restores (floor_at, restored_to)
    values (now() + interval '3 s', now() - interval '1 h')`;
  const later = typedText(sessionId);
  await appendMessages(project, [later]);
  const found = await followSession(project, {
    sessionId,
    position: before?.end ?? '',
    limit: 20,
  });
  expect(messagesOf(found).map(({ id }) => id)).toEqual([later.id]);
});
