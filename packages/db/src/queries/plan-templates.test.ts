import { MAX, v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../testing/project.ts';
import { preparePlanTemplateQueries } from './plan-templates.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a plan is stored, found by members alone, listed, changed in what is given, and deleted', async () => {
  await using project = await createTestProject();
  const { projectId, userId } = project;
  const plans = preparePlanTemplateQueries(project);
  const steps = [{ id: 'step-1', title: 'Name', instructions: 'Ask for it.' }];
  const plan = { id: uuidv7(), projectId, name: 'Intake', description: null, steps };
  await plans.insertPlanTemplate(plan);
  const key = { id: plan.id, userId };
  const stored = { ...plan, createdAt: ISO, updatedAt: ISO };
  expect(await plans.findPlanTemplate(key)).toEqual({ ...stored, memberRole: 'OWNER' });
  expect(await plans.findPlanTemplate({ ...key, userId: await project.newUser() })).toBeUndefined();
  const page = { projectId, before: MAX, limit: 9 };
  expect(await plans.listPlanTemplates(page)).toEqual([stored]);
  expect(await plans.listPlanTemplates({ ...page, before: plan.id })).toEqual([]);
  await plans.updatePlanTemplate({ id: plan.id, description: 'short' });
  expect(await plans.readPlanTemplate(plan.id)).toEqual({ ...stored, description: 'short' });
  await plans.deletePlanTemplate(plan.id);
  expect(await plans.readPlanTemplate(plan.id)).toBeUndefined();
});
