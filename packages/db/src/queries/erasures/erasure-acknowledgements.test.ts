import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { addRecorder } from '../../../testing/recorders.ts';
import { updateHeartbeat } from '../recording/recorders.ts';
import { acknowledgeErasures, listErasuresForRecorder } from './erasure-acknowledgements.ts';
import { insertErasure } from './erasures.ts';

test('a recorder learns by its heartbeat that there are erasures, until it has acknowledged them', async ({
  project,
}) => {
  const { projectId, userId: requestedBy, sql } = project;
  const recorder = await addRecorder(project);
  const at = new Date().toISOString();
  const report = { epoch: 1, load: 0, isDraining: false, flushedAt: at, standbyAt: null };
  const hears = async () => {
    const seen = { webhookAt: null, clockOffsetMs: 0 };
    return (await updateHeartbeat(project, { id: recorder, ...report, ...seen })).hasErasures;
  };
  expect(await hears()).toBe(false);
  const scope = { sessionId: null, messageIds: null, identity: null, userId: uuidv7() };
  const ids = [uuidv7(), uuidv7()] as const;
  for (const id of ids) await insertErasure(project, { id, projectId, requestedBy, ...scope });
  expect(await hears()).toBe(true);
  const asked = await listErasuresForRecorder(project, recorder);
  expect(asked).toMatchObject(ids.map((id) => ({ id, ...scope, requestedAt: expect.any(Number) })));
  await acknowledgeErasures(project, recorder, [ids[0]]);
  expect((await listErasuresForRecorder(project, recorder)).map(({ id }) => id)).toEqual([ids[1]]);
  expect(await hears()).toBe(true);
  await sql`update erasures set status = 'done' where id = ${ids[1]}`;
  expect(await hears()).toBe(false);
});

test('many erasures of one project hold up no erasure of another one', async ({ project }) => {
  const { projectId, userId: requestedBy } = project;
  const recorder = await addRecorder(project);
  const scope = { sessionId: null, messageIds: null, identity: null, userId: uuidv7() };
  const many = { projectId, requestedBy, ...scope };
  for (let count = 0; count < 150; count += 1) {
    await insertErasure(project, { id: uuidv7(), ...many });
  }
  const other = await project.newProject();
  const id = uuidv7();
  const one = { id, projectId: other.projectId, requestedBy: other.userId, ...scope };
  await insertErasure(project, one);
  const asked = await listErasuresForRecorder(project, recorder);
  expect(asked).toHaveLength(100);
  expect(asked.map((erasure) => erasure.id)).toContain(id);
});
