import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { markSessionDeleted } from './deletions.ts';
import { closeSession } from './session-end.ts';
import { insertSession } from './session-insertion.ts';
import { findSession, isSessionActive } from './sessions.ts';

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

test.each([0, 5])(
  'of many sessions with one external id that are inserted at once one is stored, and the others get its id (capacity %i)',
  async (capacity) => {
    await using project = await createTestProject();
    const { sql, userId } = project;
    const wanted = Array.from({ length: 12 }, (_, n) => ({
      ...newSession(project),
      metadata: { n: String(n) },
      externalId: 'order',
    }));
    const outcomes = await Promise.all(
      wanted.map((session) => insertSession(project, session, capacity)),
    );
    const first = wanted[outcomes.indexOf('inserted')];
    const others = outcomes.filter((outcome) => outcome !== 'inserted');
    expect(others).toEqual(Array.from({ length: 11 }, () => ({ former: first?.id })));
    for (const table of ['sessions', 'session_heads', 'recording_assignments']) {
      expect(await sql`select from ${sql(table)}`).toHaveLength(1);
    }
    const stored = await findSession(project, { id: first?.id ?? '', userId });
    expect(stored).toMatchObject({ metadata: first?.metadata, externalId: 'order' });
  },
);

test('an external id finds its session beyond the capacity and after its end, in its project, until it is deleted', async ({
  project,
}) => {
  const other = await project.newProject();
  const [first, elsewhere, again] = [project, other, project].map((of) => ({
    ...newSession(of),
    externalId: 'order',
  }));
  if (!first || !elsewhere || !again) throw new Error('three sessions are needed');
  expect(await insertSession(project, first, 1)).toBe('inserted');
  expect(await insertSession(project, again, 1)).toEqual({ former: first.id });
  await closeSession(project, first.id, 'user');
  expect(await insertSession(project, again, 1)).toEqual({ former: first.id });
  expect(await insertSession(project, elsewhere)).toBe('inserted');
  await markSessionDeleted(project, first.id);
  expect(await insertSession(project, again, 1)).toBe('inserted');
});

test('a user who is no member learns nothing of an external id', async ({ project }) => {
  const externalId = 'order';
  await insertSession(project, { ...newSession(project), externalId });
  const stranger = { ...newSession(project), createdBy: await project.newUser(), externalId };
  expect(await insertSession(project, stranger)).toBe('not_member');
});
