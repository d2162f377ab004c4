import { expect, test } from 'vitest';
import { classOfError } from './error-class.ts';
import { isDatabaseAway } from './is-database-away.ts';

function failure(code: string): Error {
  return new Error('a query failed', { cause: Object.assign(new Error(code), { code }) });
}

test.each([
  ['CONNECT_TIMEOUT', 'away'],
  ['CONNECTION_CLOSED', 'away'],
  ['ECONNRESET', 'away'],
  ['EPIPE', 'away'],
  ['08006', 'away'],
  ['25006', 'away'],
  ['40001', 'away'],
  ['40P01', 'away'],
  ['53100', 'away'],
  ['53300', 'away'],
  ['57P01', 'away'],
  ['57P03', 'away'],
  ['58030', 'away'],
  ['55P03', 'session'],
  ['57014', 'session'],
  ['22P05', 'value'],
  ['22003', 'value'],
  ['23502', 'value'],
  ['23514', 'value'],
  ['54000', 'value'],
  ['XX000', 'unknown'],
  ['42501', 'unknown'],
  ['42P01', 'unknown'],
  ['55000', 'unknown'],
  ['0A000', 'unknown'],
  ['25P02', 'unknown'],
  ['26000', 'unknown'],
  ['28P01', 'unknown'],
  ['3D000', 'unknown'],
  ['P0001', 'unknown'],
  ['ENOENT', 'unknown'],
  ['5711', 'unknown'],
])(
  'an error caused by %s is of the class `%s`, and may pass by itself if that says so',
  (code, expected) => {
    expect(classOfError(failure(code))).toBe(expected);
    expect(isDatabaseAway(failure(code))).toBe(expected === 'away' || expected === 'session');
  },
);

test.each([[new Error('no code')], ['thrown text'], [undefined]])(
  '%s is of an unknown class',
  (error) => {
    expect(classOfError(error)).toBe('unknown');
  },
);
