import { expect, test } from 'vitest';
import { checkObject } from './check-arguments.ts';

const ofLevels = (levels: number): unknown =>
  JSON.parse(`{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);

test('arguments are refused that are too deep to be compared with earlier calls', () => {
  expect(checkObject(ofLevels(100)).fault).toBeUndefined();
  expect(checkObject(ofLevels(101)).fault).toBe('The arguments must have at most 100 levels.');
  expect(checkObject(ofLevels(4000)).fault).toBe('The arguments must have at most 100 levels.');
});
