import { expect, test } from 'vitest';
import { type HeldSlotState, mayProceed } from './slot-state.ts';

test('a slot goes forward only, one state after the other', () => {
  const states: HeldSlotState[] = ['held', 'ending', 'ended', 'settled'];
  const arrows = states.flatMap((from) =>
    states.filter((to) => mayProceed(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(arrows).toEqual(['held → ending', 'ending → ended', 'ended → settled']);
});
