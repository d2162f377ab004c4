import { expect, test } from 'vitest';
import { type FailureKind, ModelFailure } from '../model/model-failure.ts';
import { ModelHealth } from './health.ts';

test('a model is refused for good after three refusals in a row', () => {
  const health = new ModelHealth();
  const fail = (kind: FailureKind) => health.failed(new ModelFailure(kind, ''), '');
  health.answered('', false);
  const others = ['unreachable', 'declined', 'declined', 'declined', 'too_long'] as const;
  for (const kind of ['refused', 'refused', ...others, 'refused', 'refused'] as const) {
    fail(kind);
    expect(health.isRefusedForGood).toBe(false);
  }
  fail('refused');
  expect(health.isRefusedForGood).toBe(true);
});

test('a model that has never answered is refused for good after three of any refusals', () => {
  const health = new ModelHealth();
  for (const kind of ['declined', 'refused', 'declined'] as const) {
    expect(health.isRefusedForGood).toBe(false);
    health.failed(new ModelFailure(kind, ''), '');
  }
  expect(health.isRefusedForGood).toBe(true);
});
