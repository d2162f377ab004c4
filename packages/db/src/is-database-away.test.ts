import { expect, test } from 'vitest';
import { isDatabaseAway, isRefusedValue } from './is-database-away.ts';

function failure(code: string): Error {
  return new Error('a query failed', { cause: Object.assign(new Error(code), { code }) });
}

test.each([
  'CONNECTION_CLOSED',
  'ECONNRESET',
  'EPIPE',
  '40001',
  '40P01',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P03',
])('%s may succeed later: the batch is retried as it is', (code) => {
  expect([isDatabaseAway(failure(code)), isRefusedValue(failure(code))]).toEqual([true, false]);
});

test.each(['22P05', '22003', '23502', '23514', '54000'])(
  '%s never succeeds: the batch is halved',
  (code) => {
    expect([isDatabaseAway(failure(code)), isRefusedValue(failure(code))]).toEqual([false, true]);
  },
);

test.each(['42P01', '28P01', 'ENOENT', '5711'])('%s is another kind of error', (code) => {
  expect([isDatabaseAway(failure(code)), isRefusedValue(failure(code))]).toEqual([false, false]);
});
