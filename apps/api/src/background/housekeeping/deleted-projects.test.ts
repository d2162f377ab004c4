import * as db from '@session/db';
import { createTestDatabase, holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { createSessionMarking } from './deleted-projects.ts';
import { deleteRows } from './deleted-rows.ts';

test('a project with more sessions than one transaction marks is gone at once, and its sessions go in batches', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const { sql } = api.deps.database;
  const ana = await api.createUser();
  const kept = await api.createSession(ana);
  const projectId = await api.createProject(ana);
  const sessions: string[] = [];
  for (let count = 0; count < 7; count += 1) sessions.push(await api.createSession(ana, projectId));
  const [first = '', closed = ''] = sessions;
  await db.closeSession(api.deps.database, closed, 'user');
  const agent = { id: uuidv7(), sessionId: first, role: 'echo-agent', createdBy: ana.id };
  const part = { planId: null, envTemplateId: null, config: {} };
  await db.insertAgent(api.deps.database, { ...agent, ...part });
  await db.markProjectDeleted(api.deps.database, projectId, 2);
  const unmarked = async () => {
    const rows = await sql<{ id: string }[]>`
      select id from sessions where project_id = ${projectId} and deleted_at is null`;
    return rows.map(({ id }) => id);
  };
  expect(await unmarked()).toHaveLength(5);
  for (const id of sessions) {
    expect((await api.inject(ana, { url: `/sessions/${id}` })).statusCode).toBe(404);
  }
  const mark = createSessionMarking(api.deps, { batchSize: 2, batches: 2 });
  expect(await mark()).toEqual(Array(2).fill(`2 sessions of project ${projectId}`));
  // CLOSED sessions are marked last, because nobody can join their rooms.
  expect(await unmarked()).toEqual([closed]);
  expect(await mark()).toEqual([`1 sessions of project ${projectId}`]);
  expect(await mark()).toEqual([]);
  expect(await sql`select desired, reason from agents`).toEqual([
    { desired: 'stopped', reason: 'session_closed' },
  ]);
  const end = { status: 'Stopped', reason: null, detail: null, exitCode: 0 } as const;
  await db.updateAgentState(api.deps.database, agent.id, end);
  expect((await deleteRows(api.deps)).toSorted()).toEqual([...sessions, projectId].toSorted());
  expect((await api.inject(ana, { url: `/sessions/${kept}` })).statusCode).toBe(200);
});

test('a project whose sessions cannot be marked holds up no other', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const { sql } = api.deps.database;
  const ana = await api.createUser();
  const projects: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const projectId = await api.createProject(ana);
    for (let number = 0; number < 2; number += 1) await api.createSession(ana, projectId);
    await db.markProjectDeleted(api.deps.database, projectId, 1);
    projects.push(projectId);
  }
  const [first = '', second = ''] = projects;
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`;
  await sql.unsafe(
    `create trigger refuse before update on sessions for each row when (old.project_id = '${first}') execute function refuse()`,
  );
  let now = 0;
  const mark = createSessionMarking(api.deps, { batches: 1, now: () => now });
  await expect(mark()).rejects.toMatchObject({
    errors: [{ message: `marking sessions of project ${first} failed` }],
  });
  // The call has one batch, and skips the failing project, which would be the first.
  expect(await mark()).toEqual([`1 sessions of project ${second}`]);
  expect(await sql`select project_id as id from sessions where deleted_at is null`).toEqual([
    { id: first },
  ]);
  now = 59_999;
  expect(await mark()).toEqual([]);
  now = 60_000;
  await sql`drop function refuse cascade`;
  expect(await mark()).toEqual([`1 sessions of project ${first}`]);
});

test('projects take turns from one call to the next', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url);
  const ana = await api.createUser();
  const projects: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const projectId = await api.createProject(ana);
    for (let number = 0; number < 3; number += 1) await api.createSession(ana, projectId);
    await db.markProjectDeleted(api.deps.database, projectId, 1);
    projects.push(projectId);
  }
  const mark = createSessionMarking(api.deps, { batchSize: 1, batches: 1 });
  for (const id of [...projects, ...projects]) {
    expect(await mark()).toEqual([`1 sessions of project ${id}`]);
  }
});

test('a project in which a session was locked for a moment goes on with the next call', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(`${database.url}?lock_timeout=10`);
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const [first] = [
    await api.createSession(ana, projectId),
    await api.createSession(ana, projectId),
  ];
  await db.markProjectDeleted(api.deps.database, projectId, 1);
  const mark = createSessionMarking(api.deps, { now: () => 0 });
  {
    await using _ = await holdLocks(
      database.url,
      async (sql) => await sql`select from session_heads where session_id = ${first} for update`,
    );
    await expect(mark()).rejects.toMatchObject({
      errors: [{ message: `marking sessions of project ${projectId} failed` }],
    });
  }
  expect(await mark()).toEqual([`1 sessions of project ${projectId}`]);
});
