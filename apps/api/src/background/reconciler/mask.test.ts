import { expect, test } from 'vitest';
import { createMask } from './mask.ts';

test.each<[string, string[], string, string]>([
  ['a value', ['sk-1234'], 'key sk-1234, again sk-1234', 'key ••••, again ••••'],
  ['a value with signs of a pattern', ['a.c*$&'], 'a.c*$& abc', '•••• abc'],
  ['a value that begins another one', ['key-1', 'key-12'], 'key-12 key-1', '•••• ••••'],
  ['each line of a value', ['-- BEGIN\nabcdef'], 'abcdef', '••••'],
  ['a value as JSON has it', ['pass"word'], '{"key":"pass\\"word"}', '{"key":"••••"}'],
  ['a value in an address', ['p/ss word'], 'http://x?key=p%2Fss%20word', 'http://x?key=••••'],
])('%s is masked', (_, values, line, masked) => {
  expect(createMask(values)(line)).toBe(masked);
});

test('what is too short to be a secret, or empty, leaves the log readable', () => {
  expect(createMask(['', '1', 'yes'])('yes, 1 line')).toBe('yes, 1 line');
});
