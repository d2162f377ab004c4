import { expect, test } from 'vitest';
import { describeError } from './describe-error.ts';

test('no token and none of a library’s fields of an error come into the log', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
  const cause = Object.assign(new Error(`refused ${token}`), { code: '42P01', query: 'words' });
  const shown = JSON.stringify(describeError(new Error(`cannot join: ${token}`, { cause })));
  expect(shown).not.toContain(token.slice(5));
  expect(shown).not.toContain('words');
  expect(shown).toContain('42P01');
  expect(shown).toContain('describe-error.test.ts');
});

test('of a statement that failed the log has the text and the cause, and no value', () => {
  const query = 'insert into "users" values ($1)';
  const params = ['ana@example.org'];
  const cause = new Error('refused');
  const error = new Error(`Failed query: ${query}\nparams: ${params.join()}`, { cause });
  const shown = JSON.stringify(describeError(Object.assign(error, { query, params })));
  expect(shown).not.toContain('ana@');
  expect(shown).toContain('values ($1)');
  expect(shown).toContain('refused');
});
