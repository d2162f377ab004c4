import { expect, test } from 'vitest';
import {
  filtersOf,
  isSearch,
  optionsOf,
  type SessionFilters,
  searchedText,
  soughtText,
} from './session-filters.ts';

const ALL: SessionFilters = {
  q: 'refund',
  status: 'CLOSED',
  externalId: 'order-4711',
  participant: 'user-7',
  metadata: 'customer=c-17',
  from: '2026-03-01',
  until: '2026-03-03',
  order: 'asc',
};

test('an address keeps its filters', () => {
  expect(filtersOf({ ...ALL })).toEqual(ALL);
});

test('a number in an address is the text that the user typed', () => {
  expect(filtersOf({ q: 4471 })).toEqual({ q: '4471' });
});

test('what is no filter, or has no sense, is ignored', () => {
  expect(
    filtersOf({
      q: ' ',
      status: 'OPEN',
      externalId: ['a'],
      metadata: 'customer',
      from: '2026-13-01',
      until: 'tomorrow',
      order: 'desc',
      panel: 'plan',
    }),
  ).toEqual({});
});

test('a day begins and ends where the user is, and both days are included', () => {
  const { createdAfter, createdBefore } = optionsOf(ALL);
  expect(Date.parse(createdAfter ?? '')).toBe(new Date(2026, 2, 1).getTime() - 1);
  expect(Date.parse(createdBefore ?? '')).toBe(new Date(2026, 2, 4).getTime());
});

test('metadata is split at its first sign of equality', () => {
  expect(optionsOf({ metadata: 'query = a=b' })).toMatchObject({ 'metadata[query]': 'a=b' });
});

test('only a list that the API walks, or in another order, is a search', () => {
  expect(
    [{}, { status: 'ACTIVE' }, { q: 'a' }, { order: 'asc' }].map(filtersOf).map(isSearch),
  ).toEqual([false, false, true, true]);
});

test('what was sought is said in words', () => {
  expect(soughtText(ALL)).toBe(
    '“refund” in the name, closed, the external id “order-4711”, the end user “user-7”, the metadata customer=c-17, created from 1 Mar 2026, created until 3 Mar 2026',
  );
});

test('the cursor of a search says how far it has looked, and an unknown one says nothing wrong', () => {
  const march = Date.UTC(2026, 2, 3, 12).toString(16).padStart(12, '0');
  const cursor = `${march.slice(0, 8)}-${march.slice(8)}-7000-8000-000000000000`;
  const now = new Date(2026, 10, 26);
  expect(searchedText({}, cursor, now)).toBe('back to 3 March');
  expect(searchedText({}, cursor, new Date(2027, 0, 1))).toBe('back to 3 March 2026');
  expect(searchedText({ order: 'asc' }, cursor, now)).toBe('up to 3 March');
  expect(searchedText({}, 'opaque', now)).toBe('the newest ones');
});
