import { expect, test } from 'vitest';
import { kindName } from './participant-kind.ts';

test.each([
  [0, 'standard'],
  [1, 'ingress'],
  [2, 'egress'],
  [3, 'sip'],
  [4, 'agent'],
  [7, 'connector'],
  [8, 'bridge'],
  [5, 'unknown'],
  [99, 'unknown'],
  [-1, 'unknown'],
  [Number.NaN, 'unknown'],
])('the server’s kind %d is called %s', (kind, name) => {
  expect(kindName(kind)).toBe(name);
});
