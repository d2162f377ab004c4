import { MAX_QUERY_WORDS } from '@session/contract';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { closeSession } from './session-end.ts';
import { insertSession } from './session-insertion.ts';
import { FIND_SESSIONS, listSessions, searchSessions } from './session-search.ts';

test('a user who is no member lists nothing, whatever they look for', async ({ project }) => {
  const { projectId } = project;
  await project.newSession();
  const userId = await project.newUser();
  const filters = [{}, { status: 'ACTIVE' }, { q: 'talk' }, { externalId: 'x' }] as const;
  for (const filter of [...filters, { endUserId: userId }]) {
    expect(await listSessions(project, { projectId, userId, limit: 9, ...filter })).toBeUndefined();
  }
});

test('pages of sessions have the newest first, each once, filtered by status; an unknown cursor is reported', async ({
  project,
}) => {
  const { userId, projectId } = project;
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.unshift(await project.newSession());
  await closeSession(project, ids[1] ?? '', 'user');
  const read = async (cursor: string | undefined, status?: 'ACTIVE' | 'CLOSED') => {
    const page = { projectId, userId, status, cursor, limit: 2 };
    const answer = await listSessions(project, page);
    return [answer?.isCursorKnown, answer?.sessions.map(({ id }) => id)];
  };
  expect(await read(undefined)).toEqual([true, [ids[0], ids[1]]]);
  expect(await read(ids[1])).toEqual([true, [ids[2], ids[3]]]);
  expect(await read(ids[3])).toEqual([true, [ids[4]]]);
  expect(await read(ids[4])).toEqual([true, []]);
  expect(await read(undefined, 'CLOSED')).toEqual([true, [ids[1]]]);
  expect(await read(ids[0], 'ACTIVE')).toEqual([true, [ids[2], ids[3]]]);
  expect(await read(uuidv7())).toEqual([false, []]);
});

test('sessions made at the same moment keep one order over all pages, by their ids', async ({
  project,
}) => {
  const { userId, projectId } = project;
  const ids = await project.newSessions(9);
  await project.sql`update sessions set created_at = '2026-11-21T08:00:00Z'`;
  const read: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = { projectId, userId, status: undefined, cursor, limit: 2 };
    const found = await listSessions(project, page);
    read.push(...(found?.sessions.map(({ id }) => id) ?? []));
    if (!found?.nextCursor) break;
    cursor = found.nextCursor;
  }
  expect(read).toEqual(ids.toReversed());
});

test('a cursor of another project is unknown; a session that is marked as deleted remains one', async ({
  project,
}) => {
  const { userId, projectId } = project;
  const other = await project.newProject();
  const foreign = { id: uuidv7(), projectId: other.projectId, createdBy: other.userId };
  await insertSession(project, { ...foreign, name: 'elsewhere' });
  const [kept = '', deleted = ''] = await project.newSessions(2);
  await project.sql`update sessions set deleted_at = now(), created_at = created_at + interval '1 s' where id = ${deleted}`;
  for (const cursor of [foreign.id, uuidv7()]) {
    const page = { projectId, userId, status: undefined, cursor, limit: 9 };
    expect(await listSessions(project, page)).toEqual({
      memberRole: 'OWNER',
      isCursorKnown: false,
      sessions: [],
      nextCursor: null,
    });
  }
  const page = { projectId, userId, limit: 9 };
  const listFrom = async (cursor: string) => await listSessions(project, { ...page, cursor });
  expect(await listFrom(kept)).toMatchObject({ isCursorKnown: true, sessions: [] });
  expect(await listFrom(deleted)).toMatchObject({ isCursorKnown: true, sessions: [{ id: kept }] });
});

test('a project without sessions has an empty page for a member, with their role', async ({
  project,
}) => {
  const { userId } = await project.newMember('ADMIN');
  const page = { projectId: project.projectId, userId, cursor: undefined, limit: 9 };
  for (const status of [undefined, 'ACTIVE', 'CLOSED'] as const) {
    expect(await listSessions(project, { ...page, status })).toEqual({
      memberRole: 'ADMIN',
      isCursorKnown: true,
      sessions: [],
      nextCursor: null,
    });
  }
});

test('a search looks for no more words than the limit, even where a text has more', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const words = Array.from({ length: MAX_QUERY_WORDS + 2 }, (_, n) => `w${n}x`);
  const id = uuidv7();
  const name = words.slice(0, -1).join(' ');
  await insertSession(project, { id, projectId, createdBy: userId, name });
  const search = async (sought: readonly string[]) => {
    const q = sought.join(' ');
    const page = await listSessions(project, { projectId, userId, limit: 9, q });
    const parameters = [projectId, userId, 9, null, null, null, '{}', q, null] as const;
    const found = await FIND_SESSIONS(project, ...parameters);
    return [page?.sessions.map((row) => row.id), found.map((row) => row.id)];
  };
  expect(await search(words)).toEqual([[id], [id]]);
  const others = [...words.slice(0, MAX_QUERY_WORDS - 1), 'other'];
  expect(await search(others)).toEqual([[], [null]]);
});

test('a search ends at its time limit', async ({ project }) => {
  const { projectId, userId, sql } = project;
  await sql.begin(async (transaction) => {
    await transaction`lock table sessions in access exclusive mode`;
    const search = searchSessions({ sql }, { projectId, userId, limit: 9, q: 'word' }, () => 50);
    await expect(search).rejects.toMatchObject({ code: '57014' });
  });
});
