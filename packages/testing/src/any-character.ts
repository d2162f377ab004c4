import * as fc from 'fast-check';

/** Any code point, with U+FFFD for half a pair. fast-check's own unit `binary` builds a table of all of them first, which takes most of a second. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code).toWellFormed());
