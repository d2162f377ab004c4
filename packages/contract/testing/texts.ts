import * as fc from 'fast-check';

/** Texts that databases, JSON parsers and programs treat differently from plain words. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud83d',
  'a\udc4b',
  '\udc4b\ud83d',
  '👋',
  'e\u0301',
  '\u202e\u2028',
  '\ufeff',
  '\uffff',
  '__proto__',
  'constructor',
  'null',
  '"\\',
] as const;

/** Any sequence of UTF-16 units: lone surrogates and control characters come up as often as letters. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ maxLength: 30 }),
  fc.uint16Array({ maxLength: 30 }).map((units) => String.fromCharCode(...units)),
);
