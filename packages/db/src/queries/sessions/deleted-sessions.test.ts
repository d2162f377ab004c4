import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { listDeletedSessions } from './deleted-sessions.ts';
import { markSessionDeleted } from './deletions.ts';
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
  expect(await listDeletedSessions(project, 2)).toEqual([first, late]);
  expect(await listDeletedSessions(project, 9)).toEqual([first, late, second, third]);
  expect(await listDeletedSessions(project, 2, [first])).toEqual([second, late]);
  expect([[first], [late]]).toContainEqual(await listDeletedSessions(project, 1));
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
