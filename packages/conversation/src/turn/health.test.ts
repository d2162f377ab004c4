import { expect, test } from 'vitest';
import { ModelFailure } from '../model/model-failure.ts';
import { ModelHealth } from './health.ts';

test('a model is refused for good after three refusals in a row', () => {
  const health = new ModelHealth();
  const fail = (kind: 'refused' | 'unreachable') => health.failed(new ModelFailure(kind, ''), '');
  for (const kind of ['refused', 'refused', 'unreachable', 'refused', 'refused'] as const) {
    fail(kind);
    expect(health.isRefusedForGood).toBe(false);
  }
  fail('refused');
  expect(health.isRefusedForGood).toBe(true);
});
