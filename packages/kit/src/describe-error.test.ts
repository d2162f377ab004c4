import { expect, test } from 'vitest';
import { describeError } from './describe-error.ts';
import { AppError } from './errors.ts';

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

test('every cause is described, down to a value that is no error', () => {
  const lowest = new TypeError('third', { cause: 'fetch failed' });
  const middle = Object.assign(new Error('second', { cause: lowest }), { code: 'ECONNRESET' });
  expect(describeError(new RangeError('first', { cause: middle }))).toMatchObject({
    type: 'RangeError',
    message: 'first',
    cause: {
      type: 'Error',
      message: 'second',
      code: 'ECONNRESET',
      cause: {
        type: 'TypeError',
        message: 'third',
        cause: { type: 'string', message: 'fetch failed', stack: '' },
      },
    },
  });
});

test('causes in a circle are described once each', () => {
  const own = new Error('own');
  own.cause = own;
  expect(describeError(own).cause).toBeUndefined();
  const first = new Error('first');
  const second = new Error('second', { cause: first });
  first.cause = second;
  const { cause } = describeError(first);
  expect([cause?.message, cause?.cause]).toEqual(['second', undefined]);
});

test.each<[unknown, string, string]>([
  ['a text', 'string', 'a text'],
  [7, 'number', '7'],
  [undefined, 'undefined', 'undefined'],
  [null, 'object', 'null'],
  [{ a: 1 }, 'object', '[object Object]'],
  [Symbol('s'), 'symbol', 'Symbol(s)'],
  [Object.create(null), 'object', '[object Object]'],
])('a thrown value that is no error is described too: %#', (value, type, message) => {
  expect(describeError(value)).toEqual({ type, message, stack: '' });
});

test('a token is hidden in a thrown text and in a cause as well', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
  expect(describeError(`refused ${token}`).message).toBe('refused eyJ…');
  const { cause } = describeError(new Error('refused', { cause: `by ${token}` }));
  expect(cause?.message).toBe('by eyJ…');
});

test('of an error with many lines only the frames are its stack', () => {
  const { message, stack } = describeError(new Error('one\ntwo\n  at three'));
  expect(message).toBe('one\ntwo\n  at three');
  expect(stack).not.toContain('two');
  expect(stack.split('\n').every((line) => /^ +at /.test(line))).toBe(true);
});

test('an error without a stack or with a foreign name is described', () => {
  const error = new Error('bare');
  Reflect.deleteProperty(error, 'stack');
  error.name = 'Custom';
  expect(describeError(error)).toEqual({ type: 'Custom', message: 'bare', stack: '' });
});

test('the code of an AppError is in the log, its detail for the user is not repeated', () => {
  const shown = describeError(new AppError('name_taken', 'for the log', { detail: 'For users.' }));
  expect(shown).toMatchObject({ type: 'AppError', message: 'for the log', code: 'name_taken' });
  expect(JSON.stringify(shown)).not.toContain('For users.');
});

test('of a failure and that of a disposal after it, both are described', () => {
  const both = new SuppressedError(new Error('cannot close'), new TypeError('cannot store'));
  expect(describeError(both)).toMatchObject({
    type: 'SuppressedError',
    suppressed: { type: 'TypeError', message: 'cannot store' },
    error: { type: 'Error', message: 'cannot close' },
  });
});
