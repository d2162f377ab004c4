import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AT, BOOKING, begun } from '../../testing/plans.ts';
import { progressCalls, progressQuestion } from './plan-by-json.ts';

const { state } = begun().machine;

/** Returns the calls that an answer stands for, in short. */
function callsOf(answer: string) {
  return progressCalls(answer, state)?.map((call) => [call.name, JSON.parse(call.arguments)]);
}

test('the question names the step, and every deliverable with its type', () => {
  const question = progressQuestion(BOOKING, state);
  expect(question).toContain('the step name ');
  expect(question).toContain(
    '{"id":"room","title":"Room","type":"choice","choices":["Sea view","Garden"]}',
  );
});

describe('an answer', () => {
  test.each<[string, unknown]>([
    ['{}', []],
    ['{"deliverables":{},"stepDone":false}', []],
    ['{"stepDone":true}', [['complete_step', { step: 'name' }]]],
    ['{"stepDone":"yes","deliverables":7}', []],
    [
      '{"deliverables":{"customer":"Ann","room":null,"other":""}}',
      [['set_deliverable', { deliverable: 'customer', value: 'Ann' }]],
    ],
    ['Here it is:\n```json\n{"stepDone": true}\n```', [['complete_step', { step: 'name' }]]],
    ['I cannot.', undefined],
    ['{"stepDone":', undefined],
    ['', undefined],
  ])('%j is these calls', (answer, expected) => {
    expect(callsOf(answer)).toEqual(expected);
  });

  test('with thousands of levels is not JSON', () => {
    const deep = '['.repeat(8000) + ']'.repeat(8000);
    expect(callsOf(`{"deliverables":{"customer":${deep}}}`)).toBeUndefined();
  });

  test('completes no step when all are done', () => {
    const { machine } = begun({ ...BOOKING, steps: BOOKING.steps.slice(2) });
    machine.call('complete_step', { step: 'farewell' }, AT);
    expect(progressCalls('{"stepDone":true}', machine.state)).toEqual([]);
  });

  test('of any shape throws nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (answer) => {
        expect(Array.isArray(progressCalls(answer, state) ?? [])).toBe(true);
      }),
    );
  });
});
