import { expect } from 'vitest';
import { STEP, planTemplateTest as test } from '../../../testing/plan-templates.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('201 with an id for each step and deliverable that was sent without one, and a Location that answers the same', async ({
  projectId,
  plans,
}) => {
  const steps = [
    STEP,
    { ...STEP, id: 'step-1', deliverable: 'Customer' },
    { ...STEP, deliverable: { id: 'wish', title: 'Wish', type: 'choice', choices: ['a', 'b'] } },
  ];
  const created = await plans.ask('POST', plans.url, { name: 'Intake', steps });
  expect([created.statusCode, created.json()]).toEqual([
    201,
    {
      id: expect.stringMatching(/^.{14}7/),
      projectId,
      name: 'Intake',
      description: null,
      steps: [
        { id: 'step-2', ...STEP },
        { ...steps[1], deliverable: { id: 'deliverable-1', title: 'Customer', type: 'text' } },
        { id: 'step-3', ...steps[2] },
      ],
      version: 1,
      createdAt: TIME,
      updatedAt: TIME,
    },
  ]);
  const found = await plans.ask('GET', String(created.headers.location));
  expect([found.statusCode, found.json()]).toEqual([200, created.json()]);
  const listed = await plans.ask('GET', plans.url);
  expect(listed.json()).toEqual({ items: [created.json()], nextCursor: null });
});

test.for<[string, unknown]>([
  ['no step', []],
  ['51 steps', Array.from({ length: 51 }, () => STEP)],
  ['a step without instructions', [{ title: 'Name' }]],
  ['a step with more than there is', [{ ...STEP, colour: 'red' }]],
  [
    'an id that is used twice',
    [
      { ...STEP, id: 'a' },
      { ...STEP, id: 'a' },
    ],
  ],
  ['an id with a space', [{ ...STEP, id: 'a b' }]],
  [
    'a deliverable with the id of a step',
    [{ ...STEP, id: 'a', deliverable: { id: 'a', title: 'A' } }],
  ],
  ['a choice without choices', [{ ...STEP, deliverable: { title: 'A', type: 'choice' } }]],
  [
    'more than one variable of an environment holds',
    Array.from({ length: 20 }, () => ({ ...STEP, instructions: 'x'.repeat(6000) })),
  ],
  ['NUL', [{ ...STEP, title: 'a\0' }]],
])('400 for %s', async ([, steps], { plans }) => {
  const refused = await plans.ask('POST', plans.url, { name: 'Intake', steps });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
});
