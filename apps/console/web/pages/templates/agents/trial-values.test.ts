import { expect, test } from 'vitest';
import { valuesFrom } from './trial-values.ts';

test.each([
  ['{"day":"1"}', { day: '1' }],
  ['{}', {}],
  ['[1]', undefined],
  ['null', undefined],
  ['"a"', undefined],
  ['{"day"', undefined],
])('%s', (text, values) => {
  expect(valuesFrom(text)).toEqual(values);
});
