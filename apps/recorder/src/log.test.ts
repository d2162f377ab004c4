import { expect, test } from 'vitest';
import { describeError } from './log.ts';

test('no token and none of a library’s fields of an error come into the log', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
  const cause = Object.assign(new Error(`refused ${token}`), { code: '42P01', query: 'words' });
  const shown = JSON.stringify(describeError(new Error(`cannot join: ${token}`, { cause })));
  expect(shown).not.toContain(token.slice(5));
  expect(shown).not.toContain('words');
  expect(shown).toContain('42P01');
});
