import { expect } from 'vitest';
import { STEP, planTemplateTest as test } from '../../../testing/plan-templates.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('200 for a change of what is given, 204 for its end, and 404 from then on', async ({
  plans,
}) => {
  const url = await plans.create();
  const created = (await plans.ask('GET', url)).json();
  const changed = await plans.ask('PATCH', url, { description: null });
  expect(changed.json()).toEqual({
    ...created,
    description: null,
    version: 2,
    updatedAt: TIME,
  });
  const replaced = await plans.ask('PATCH', url, { name: 'Second', steps: [STEP, STEP] });
  expect(replaced.json()).toMatchObject({
    name: 'Second',
    steps: [{ id: 'step-1' }, { id: 'step-2' }],
  });
  expect((await plans.ask('PATCH', url, {})).json()).toMatchObject({ name: 'Second' });
  expect((await plans.ask('DELETE', url)).statusCode).toBe(204);
  expect((await plans.ask('GET', url)).statusCode).toBe(404);
});

test('400 for a change that leaves no valid plan, and the plan stays as it was', async ({
  plans,
}) => {
  const url = await plans.create();
  const before = (await plans.ask('GET', url)).json();
  for (const change of [{ steps: [] }, { name: ' ' }, { steps: null }, { color: 'red' }]) {
    const refused = await plans.ask('PATCH', url, change);
    expect([change, refused.statusCode]).toEqual([change, 400]);
  }
  expect((await plans.ask('GET', url)).json()).toEqual(before);
});
