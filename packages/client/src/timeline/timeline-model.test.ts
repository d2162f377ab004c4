import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { timelineModel } from '../../testing/model/run.ts';

const MAX_STEPS = 120;
const SEED = 14;

test('the list is ordered, has no hole, and ends as the history, however answers are lost, doubled or reordered', () => {
  const property = timelineModel(MAX_STEPS);
  const run = () => {
    fc.assert(property, { numRuns: 2000, seed: SEED });
    fc.assert(property, { numRuns: 500 });
  };
  expect(run).not.toThrow();
});
