import { expect, test } from 'vitest';
import { SkipCounts } from './skip-counts.ts';

test('each reason is counted by itself, and reasons that never occurred are not shown', () => {
  const skipped = new SkipCounts();
  expect(skipped.toJSON()).toEqual({});
  for (const reason of ['empty', 'fault', 'empty'] as const) skipped.add(reason);
  const before = skipped.toJSON();
  skipped.add('unknown');
  expect([before, skipped.toJSON()]).toEqual([
    { empty: 2, fault: 1 },
    { empty: 2, fault: 1, unknown: 1 },
  ]);
});
