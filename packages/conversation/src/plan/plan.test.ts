import { StartError } from '@session/kit';
import { describe, expect, test } from 'vitest';
import { BOOKING } from '../../testing/plans.ts';
import { readPlanFile, readPlanVariable } from './plan.ts';

const STEP = { title: 'Day', instructions: 'Ask for the day.' };

describe('a plan file', () => {
  test('needs a name and steps alone, and missing ids are made as the API makes them', () => {
    const authored = {
      name: 'Booking',
      steps: [
        { ...STEP, deliverable: 'The day' },
        { ...STEP, id: 'step-1', deliverable: { title: 'Guests', type: 'number' } },
        { ...STEP, deliverable: { id: 'deliverable-1', title: 'Name', required: true } },
        STEP,
      ],
    };
    const { id, description, steps } = readPlanFile(JSON.stringify(authored), 'plan.json');
    expect({ id, description }).toEqual({ id: 'plan', description: null });
    expect(steps.map((step) => [step.id, step.deliverable?.id, step.deliverable?.type])).toEqual([
      ['step-2', 'deliverable-2', 'text'],
      ['step-1', 'deliverable-3', 'number'],
      ['step-3', 'deliverable-1', 'text'],
      ['step-4', undefined, undefined],
    ]);
  });

  test('as the API returns it is accepted too, under its own id', () => {
    const stored = { ...BOOKING, projectId: 'p', version: 1, createdAt: 'now', updatedAt: 'now' };
    expect(readPlanFile(JSON.stringify(stored), 'plan.json')).toEqual(BOOKING);
  });

  test.each([
    ['{"name":', 'plan.json is not valid JSON.'],
    ['{"name":\n "x" y}', 'plan.json is not valid JSON: line 2, column 6.'],
    ['[]', 'plan.json: the plan: it must be an object'],
    ['{"name":"x"}', 'plan.json: steps: this field is missing'],
    ['{"name":"x","steps":"Ask."}', 'plan.json: steps: it must be a list'],
    [JSON.stringify({ name: 'x', steps: [] }), 'plan.json: steps: it must not be empty'],
    [
      JSON.stringify({ name: 'x', steps: [{ title: 'a' }] }),
      'plan.json: steps.0.instructions: this field is missing',
    ],
    [
      JSON.stringify({ name: 'x', steps: [{ title: 7, instructions: 'a'.repeat(8001) }] }),
      'plan.json: steps.0.title: it must be a text\n' +
        'plan.json: steps.0.instructions: it may have at most 8000 characters',
    ],
    [
      JSON.stringify({ name: 'x', steps: [{ ...STEP, deliverables: 'a' }] }),
      'plan.json: steps.0: there is no field deliverables',
    ],
    [
      JSON.stringify({ name: 'x', steps: [{ ...STEP, deliverable: 7 }] }),
      'plan.json: steps.0.deliverable: it must be a text, or an object',
    ],
    [
      JSON.stringify({
        name: 'x',
        steps: [{ ...STEP, deliverable: { title: 'a', type: 'sum' } }],
      }),
      'plan.json: steps.0.deliverable.type: it must be one of ',
    ],
    [
      JSON.stringify({
        name: 'x',
        steps: [{ ...STEP, deliverable: { title: 'a', type: 'choice' } }],
      }),
      'plan.json: steps.0.deliverable.choices: choices are required',
    ],
    [
      JSON.stringify({
        name: 'x',
        steps: [
          { ...STEP, id: 'a' },
          { ...STEP, id: 'a' },
        ],
      }),
      'plan.json: steps.1.id: each id may be used only once',
    ],
    [
      JSON.stringify({ name: 'x', stepz: [], steps: [STEP] }),
      'plan.json: the plan: there is no field stepz',
    ],
  ])('%s is refused, and the field is named', (text, message) => {
    expect(() => readPlanFile(text, 'plan.json')).toThrow(StartError);
    expect(() => readPlanFile(text, 'plan.json')).toThrow(message);
  });

  test('all faults are named at once, one a line', () => {
    const text = JSON.stringify({ name: '', steps: [{ title: '', instructions: '' }] });
    expect(() => readPlanFile(text, 'p')).toThrow(
      /name: .*\n.*steps\.0\.title: .*\n.*instructions/,
    );
  });
});

describe('the variable PLAN', () => {
  test('has the ids that the API made', () => {
    expect(readPlanVariable(JSON.stringify({ ...BOOKING, projectId: 'p' }))).toEqual(BOOKING);
  });

  test.each([
    ['secret', 'PLAN is not valid JSON.'],
    ['{"id":"secret"}', 'PLAN: steps: '],
  ])('%j is refused without being repeated', (text, message) => {
    expect(() => readPlanVariable(text)).toThrow(message);
    expect(() => readPlanVariable(text)).not.toThrow('secret');
  });
});
