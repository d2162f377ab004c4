import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactTokens } from './redact-tokens.ts';

test('a JWT of any content leaves none of its parts, in any text around it', () => {
  const part = fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((bytes) => Buffer.from(bytes).toString('base64url'));
  const claims = fc
    .dictionary(fc.string(), fc.string(), { maxKeys: 3 })
    .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'));
  const header = Buffer.from('{"alg":"HS256"}').toString('base64url');
  const before = fc.constantFrom('', ' ', '"', '=', 'Bearer ');
  const after = fc.constantFrom('', ' ', '"', '&v=1', '\n', '): refused');
  fc.assert(
    fc.property(before, claims, part, after, (head, body, signature, tail) => {
      const token = `${header}.${body}.${signature}`;
      expect(redactTokens(`${head}${token}${tail}`)).toBe(`${head}eyJ…${tail}`);
    }),
  );
});

test.each([
  ['two tokens in one line', 'eyJhbGciOi.eyJzdWI.c2ln eyJhbGciOi.eyJzdWI.c2ln', 'eyJ… eyJ…'],
  ['a token without a signature', 'eyJhbGciOi.eyJzdWI.', 'eyJ…'],
  [
    'a token at the end of a sentence',
    'refused eyJhbGciOi.eyJzdWI.c2ln, sorry',
    'refused eyJ…, sorry',
  ],
  ['a token after other letters', 'xeyJhbGciOi.eyJzdWI', 'xeyJ…'],
  ['a text with the same three letters', 'the eyJ prefix', 'the eyJ prefix'],
  ['a text in another case', 'EYJABC.DEF', 'EYJABC.DEF'],
  ['no text', '', ''],
])('%s', (_, text, redacted) => {
  expect(redactTokens(text)).toBe(redacted);
});
