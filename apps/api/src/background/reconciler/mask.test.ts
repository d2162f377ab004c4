import { expect, test } from 'vitest';
import { createMask } from './mask.ts';

test.each<[string, string[], string, string]>([
  ['a value', ['sk-1234'], 'key sk-1234, again sk-1234', 'key ••••, again ••••'],
  ['a value with special characters of patterns', ['a.c*$&'], 'a.c*$& abc', '•••• abc'],
  [
    'a value that is the beginning of another one',
    ['key-1', 'key-12'],
    'key-12 key-1',
    '•••• ••••',
  ],
  ['each line of a value', ['-- BEGIN\nabcdef'], 'abcdef', '••••'],
  ['a value in JSON', ['pass"word'], '{"key":"pass\\"word"}', '{"key":"••••"}'],
  ['a value in a URL', ['p/ss word'], 'http://x?key=p%2Fss%20word', 'http://x?key=••••'],
])('%s is masked', (_, values, line, masked) => {
  expect(createMask(values)(line)).toBe(masked);
});

test('values that are empty or too short to be secrets are not masked', () => {
  expect(createMask(['', '1', 'yes'])('yes, 1 line')).toBe('yes, 1 line');
});
