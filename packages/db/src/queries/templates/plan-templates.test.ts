import { MAX, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import {
  deletePlanTemplate,
  findPlanTemplate,
  insertPlanTemplate,
  listPlanTemplates,
  readPlanTemplate,
  updatePlanTemplate,
} from './plan-templates.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a plan is stored, found only by members, listed, changed in the given fields, and deleted', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const steps = [{ id: 'step-1', title: 'Name', instructions: 'Ask for it.' }];
  const plan = { id: uuidv7(), projectId, name: 'Intake', description: null, steps };
  await insertPlanTemplate(project, plan);
  const key = { id: plan.id, userId };
  const stored = { ...plan, version: 1, createdAt: ISO, updatedAt: ISO };
  expect(await findPlanTemplate(project, key)).toEqual({ ...stored, memberRole: 'OWNER' });
  expect(
    await findPlanTemplate(project, { ...key, userId: await project.newUser() }),
  ).toBeUndefined();
  const page = { projectId, before: MAX, limit: 9 };
  expect(await listPlanTemplates(project, page)).toEqual([stored]);
  expect(await listPlanTemplates(project, { ...page, before: plan.id })).toEqual([]);
  await updatePlanTemplate(project, { id: plan.id, projectId, description: 'short' });
  expect(await readPlanTemplate(project, plan.id)).toEqual({
    ...stored,
    description: 'short',
    version: 2,
  });
  await deletePlanTemplate(project, plan, project.userId);
  expect(await readPlanTemplate(project, plan.id)).toBeUndefined();
});

const before = { name: 'Intake', description: 'long', steps: [{ id: 'one' }] };

test.each([
  ['the name', { name: 'New' }, { ...before, name: 'New' }],
  ['the description', { description: 'short' }, { ...before, description: 'short' }],
  ['no description', { description: null }, { ...before, description: null }],
  ['an empty description', { description: '' }, { ...before, description: '' }],
  [
    'the steps',
    { steps: [{ id: 'two' }, { id: 'three' }] },
    { ...before, steps: [{ id: 'two' }, { id: 'three' }] },
  ],
  [
    'all',
    { name: 'N', description: null, steps: [{}] },
    { name: 'N', description: null, steps: [{}] },
  ],
])('a change of %s changes that alone, and the time', async (_, change, after) => {
  await using project = await createTestProject();
  const key = { id: uuidv7(), projectId: project.projectId };
  await insertPlanTemplate(project, { ...key, ...before });
  await project.sql`
    update plan_templates set created_at = '2026-11-21T08:00:00Z', updated_at = '2026-11-21T08:00:00Z'`;
  await updatePlanTemplate(project, { ...key, ...change });
  const stored = await readPlanTemplate(project, key.id);
  const createdAt = '2026-11-21T08:00:00.000Z';
  expect(stored).toEqual({ ...key, ...after, version: 2, createdAt, updatedAt: ISO });
  expect(stored?.updatedAt).not.toBe(createdAt);
});

test.each([
  ['nothing', {}],
  ['undefined for all', { name: undefined, description: undefined, steps: undefined }],
  ['what it is already', before],
])('a change of %s leaves version and time as they are', async (_, change) => {
  await using project = await createTestProject();
  const key = { id: uuidv7(), projectId: project.projectId };
  await insertPlanTemplate(project, { ...key, ...before });
  const time = '2026-11-21T08:00:00.000Z';
  await project.sql`update plan_templates set created_at = ${time}, updated_at = ${time}`;
  expect(await updatePlanTemplate(project, { ...key, ...change, version: 1 })).toBe('updated');
  const stored = { ...key, ...before, version: 1, createdAt: time, updatedAt: time };
  expect(await readPlanTemplate(project, key.id)).toEqual(stored);
});

test('a change of a deleted template does nothing, and leaves the others', async ({ project }) => {
  const other = { id: uuidv7(), projectId: project.projectId, ...before };
  await insertPlanTemplate(project, other);
  await updatePlanTemplate(project, { ...other, id: uuidv7(), name: 'x', steps: [{}] });
  await deletePlanTemplate(project, { ...other, id: uuidv7() }, project.userId);
  expect(await readPlanTemplate(project, other.id)).toMatchObject(before);
});

test('pages of one project: the newest first, each template once, and none of another project', async ({
  project,
}) => {
  const { projectId } = project;
  const elsewhere = await project.newProject();
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    const id = uuidv7();
    ids.unshift(id);
    await insertPlanTemplate(project, { ...before, id, projectId });
    await insertPlanTemplate(project, { ...before, id: uuidv7(), projectId: elsewhere.projectId });
  }
  const read: string[] = [];
  for (let last: string = MAX; ; ) {
    const page = await listPlanTemplates(project, { projectId, before: last, limit: 2 });
    read.push(...page.map(({ id }) => id));
    last = page.at(-1)?.id ?? '';
    if (page.length < 2) break;
  }
  expect(read).toEqual(ids);
  const [foreign] = await listPlanTemplates(project, {
    projectId: elsewhere.projectId,
    before: MAX,
    limit: 1,
  });
  const key = { id: foreign?.id ?? '', userId: project.userId };
  expect(await findPlanTemplate(project, key)).toBeUndefined();
});

test.each([[[]], [{}], ['a'], [Array.from({ length: 51 }, () => ({}))]])(
  'steps that are no array of 1 to 50 are refused by the database too: %#',
  async (steps) => {
    await using project = await createTestProject();
    const plan = { ...before, id: uuidv7(), projectId: project.projectId, steps };
    const stored = insertPlanTemplate(project, plan);
    await expect(stored).rejects.toMatchObject({ code: expect.stringMatching(/^2/) });
  },
);
