import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadMutant } from '../../testing/model/mutant.ts';
import { MUTATIONS } from '../../testing/model/mutations.ts';
import { timelineModel } from '../../testing/model/run.ts';
import { Timeline } from './timeline.ts';

const MAX_STEPS = 120;
const SEED = 14;

test('the list is ordered, has no hole, and ends as the history, however answers are lost, doubled or reordered', () => {
  const property = timelineModel(Timeline, MAX_STEPS);
  const run = () => {
    fc.assert(property, { numRuns: 2000, seed: SEED });
    fc.assert(property, { numRuns: 500 });
  };
  expect(run).not.toThrow();
});

test.each(Object.entries(MUTATIONS))(
  'the model fails without the rule: %s',
  async (_, mutation) => {
    const property = timelineModel(await loadMutant(mutation), MAX_STEPS);
    const { failed } = fc.check(property, { numRuns: 10_000, seed: SEED, endOnFailure: true });
    expect(failed).toBe(true);
  },
);
