import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../testing/texts.ts';
import { byteLength } from './byte-length.ts';

test.each([
  ['', 0],
  ['a', 1],
  ['\0', 1],
  ['é', 2],
  ['€', 3],
  ['👋', 4],
  ['\ud83d', 3],
  ['\udc4b\ud83d', 6],
])('the bytes of %j', (text, bytes) => {
  expect(byteLength(text)).toBe(bytes);
});

test('the count is that of Node, for any text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(byteLength(text)).toBe(Buffer.byteLength(text));
    }),
  );
});
