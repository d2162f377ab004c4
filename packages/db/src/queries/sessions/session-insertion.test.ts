import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { closeSession } from './session-end.ts';
import { insertSession } from './session-insertion.ts';
import { isSessionActive } from './sessions.ts';

function newSession({ projectId, userId }: Pick<TestProject, 'projectId' | 'userId'>) {
  return { id: uuidv7(), projectId, name: 'a talk', createdBy: userId };
}

test('of many sessions that are inserted at once a project gets as many as it may have, and stores nothing of the others', async ({
  project,
}) => {
  const { sql } = project;
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, () => insertSession(project, newSession(project), 5)),
  );
  expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(5);
  expect(outcomes.filter((outcome) => outcome === 'session_capacity')).toHaveLength(7);
  for (const table of ['sessions', 'session_heads', 'recording_assignments']) {
    expect(await sql`select from ${sql(table)}`).toHaveLength(5);
  }
});

test('only ACTIVE sessions of the project count, and a project keeps those beyond its capacity', async ({
  project,
}) => {
  const [closed = '', ...active] = await project.newSessions(4);
  const other = await project.newProject();
  await insertSession(project, newSession(other));
  await closeSession(project, closed, 'user');
  expect(await insertSession(project, newSession(project), 3)).toBe('session_capacity');
  expect(await insertSession(project, newSession(project), 2)).toBe('session_capacity');
  expect(await insertSession(project, newSession(project), 4)).toBe('inserted');
  for (const id of active) expect(await isSessionActive(project, id)).toBe(true);
  expect(await insertSession(project, newSession(project), 0)).toBe('inserted');
});

test('a user who is no member inserts nothing, whether there is room or not', async ({
  project,
}) => {
  await project.newSession();
  const stranger = { ...newSession(project), createdBy: await project.newUser() };
  for (const capacity of [0, 1, 9]) {
    expect(await insertSession(project, stranger, capacity)).toBe('not_member');
  }
  expect(await project.sql`select from sessions`).toHaveLength(1);
});
