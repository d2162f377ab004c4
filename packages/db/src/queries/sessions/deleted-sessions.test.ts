import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { listDeletedSessions, readDeletionAge } from './deleted-sessions.ts';
import { deleteSession, markSessionDeleted } from './deletions.ts';
import { insertSession } from './session-insertion.ts';

test('projects take turns, so a long queue of one project does not hold up the sessions of another', async ({
  project,
}) => {
  const other = await project.newProject();
  const [first = '', second = '', third = ''] = await project.newSessions(3);
  const late = uuidv7();
  const owned = { projectId: other.projectId, createdBy: other.userId };
  await insertSession(project, { ...owned, id: late, name: 'late' });
  for (const [index, id] of [first, second, third, late].entries()) {
    await markSessionDeleted(project, id);
    await project.sql`
      update sessions set deleted_at = now() + ${index}::int * interval '1 s' where id = ${id}`;
  }
  const inTurns = async (limit: number, except: readonly string[] = []) => {
    const ids = await listDeletedSessions(project, limit, except);
    return [...ids.slice(0, 2).toSorted(), ...ids.slice(2)];
  };
  expect(await inTurns(2)).toEqual([first, late].toSorted());
  expect(await inTurns(9)).toEqual([...[first, late].toSorted(), second, third]);
  expect(await inTurns(2, [first])).toEqual([second, late].toSorted());
  expect([[first], [late]]).toContainEqual(await listDeletedSessions(project, 1));
  // This holds however much older the marks of another project are.
  const firsts = new Set<string | undefined>();
  for (let call = 0; call < 64 && firsts.size < 2; call += 1) {
    firsts.add((await listDeletedSessions(project, 2))[0]);
  }
  expect(firsts).toEqual(new Set([first, late]));
});

test('in each round sessions that are being erased come first', async ({ project }) => {
  const ids: string[] = [];
  for (let count = 0; count < 9; count += 1) {
    const { projectId, userId: createdBy } = await project.newProject();
    const id = uuidv7();
    await insertSession(project, { id, projectId, name: 'a talk', createdBy });
    await markSessionDeleted(project, id);
    ids.push(id);
  }
  const erased = ids.at(-1) ?? '';
  await project.sql`
    insert into erasures (id, project_id, session_id, requested_by)
    select ${uuidv7()}, project_id, id, created_by from sessions where id = ${erased}`;
  const listed = await listDeletedSessions(project, 9);
  expect([listed[0], listed.toSorted()]).toEqual([erased, ids]);
  // This holds even if there are more projects than are listed.
  for (let call = 0; call < 8; call += 1) {
    expect((await listDeletedSessions(project, 2))[0]).toBe(erased);
  }
});

test('first in a project is a session that is being erased, and it is listed once', async ({
  project,
}) => {
  const { projectId, sql, userId } = project;
  const [first = '', second = '', erased = ''] = await project.newSessions(3);
  for (const [index, id] of [first, second, erased].entries()) {
    await markSessionDeleted(project, id);
    await sql`
      update sessions set deleted_at = now() + ${index}::int * interval '1 s' where id = ${id}`;
  }
  await sql`
    insert into erasures (id, project_id, session_id, requested_by)
    values (${uuidv7()}, ${projectId}, ${erased}, ${userId})`;
  expect(await listDeletedSessions(project, 2)).toEqual([erased, first]);
  expect(await listDeletedSessions(project, 9)).toEqual([erased, first, second]);
  await sql`update erasures set status = 'done'`;
  expect(await listDeletedSessions(project, 9)).toEqual([first, second, erased]);
});

test('the age of the deletions is that of the first mark in any project', async ({ project }) => {
  expect(await readDeletionAge(project)).toBe(0);
  const { projectId, userId: createdBy } = await project.newProject();
  const other = uuidv7();
  await insertSession(project, { id: other, projectId, name: 'a talk', createdBy });
  const [first = '', second = ''] = await project.newSessions(2);
  for (const [id, seconds] of [
    [first, 65],
    [second, 95],
    [other, 35],
  ] as const) {
    await markSessionDeleted(project, id);
    await project.sql`
      update sessions set deleted_at = now() - ${seconds}::int * interval '1 s' where id = ${id}`;
  }
  const age = async () => Math.floor((await readDeletionAge(project)) / 30);
  expect(await age()).toBe(3);
  await deleteSession(project, second);
  expect(await age()).toBe(2);
});

test('a deleted project counts until no ACTIVE session of it is left unmarked', async ({
  project,
}) => {
  const { projectId, sql } = project;
  const id = await project.newSession();
  const age = async () => Math.floor((await readDeletionAge(project)) / 30);
  expect(await age()).toBe(0);
  await sql`update projects set deleted_at = now() - interval '95 s' where id = ${projectId}`;
  expect(await age()).toBe(3);
  await markSessionDeleted(project, id);
  expect(await age()).toBe(0);
});
