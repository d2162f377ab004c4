import { expect, test } from 'vitest';
import { withChanged } from './keyed-rows.ts';
import { planBody, planDraftOf, withStep, withStepMoved } from './plan-draft.ts';
import { planFile, planFileName, readPlanFile } from './plan-file.ts';

const plan = {
  name: 'Booking',
  description: 'For guests who call',
  steps: [
    { id: 'day', title: 'Day', instructions: 'Ask for the day.' },
    {
      id: 'room',
      title: 'Room',
      instructions: 'Ask for the room.',
      deliverable: {
        id: 'kind',
        title: 'Kind of room',
        type: 'choice' as const,
        choices: ['single', 'double'],
        required: true,
      },
    },
  ],
};

test('a plan that is written to a file and read again is the same plan', () => {
  const draft = planDraftOf(plan);
  expect(planBody(draft)).toEqual(plan);
  expect(readPlanFile(planFile(draft))).toEqual(draft);
  expect([planFileName('Booking: Zürich!'), planFileName('…')]).toEqual([
    'booking-z-rich.json',
    'plan.json',
  ]);
});

test('a moved step keeps its id, a new one gets its id from the API', () => {
  const moved = withStepMoved(planDraftOf(plan), 1, 0);
  const { steps } = planBody(withStep(moved));
  expect(steps.map(({ id }) => id)).toEqual(['room', 'day', undefined]);
  expect(withStepMoved(moved, 1, -1)).toBe(moved);
  expect(withStepMoved(moved, 0, 2)).toBe(moved);
});

test('choices are one a line, and a type that needs none has none', () => {
  const draft = planDraftOf(plan);
  const deliverable = draft.steps[1]?.deliverable;
  if (!deliverable) throw new Error('the step has a deliverable');
  const choices = { ...deliverable, choices: ' single \n\ndouble\n' };
  const changed = { ...draft, steps: withChanged(draft.steps, 1, { deliverable: choices }) };
  expect(planBody(changed).steps[1]).toMatchObject({
    deliverable: { choices: ['single', 'double'] },
  });
  const plain = { ...deliverable, type: 'text' };
  const text = { ...draft, steps: withChanged(draft.steps, 1, { deliverable: plain }) };
  expect(planBody(text).steps[1]).not.toHaveProperty('deliverable.choices');
});

test('a plain string in a file is short for a deliverable', () => {
  const steps = [{ title: 'Day', instructions: 'Ask.', deliverable: 'The day' }];
  const draft = readPlanFile(JSON.stringify({ name: 'Short', steps }));
  if (typeof draft === 'string') throw new Error(draft);
  expect(planBody(draft).steps[0]?.deliverable).toMatchObject({ title: 'The day', type: 'text' });
});

test.for([
  ['[', 'This file is not a JSON object.'],
  ['[1]', 'This file is not a JSON object.'],
  ['{"name": "x"}', 'This file has no list `steps`.'],
  ['{"steps": [{"title": "a", "instructions": "b"}, 3]}', 'Step 2 of this file'],
] as const)('%s is refused with a sentence', ([text, sentence]) => {
  expect(readPlanFile(text)).toContain(sentence);
});
