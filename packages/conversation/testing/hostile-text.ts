import * as fc from 'fast-check';

const CHARACTERS = Array.from(
  'aZ7 \n\r\t\0\u0001\u001b\u2028"\\{}[]:</-.,é中👋\ud800 \udc00\ufeff',
);

/** Text of the characters that break things: controls, quotes, lone surrogates, and characters of every length. */
export const hostileText = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 40 });
