import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { accepts, messagesAbout, NOT_STRINGS } from '../../testing/shapes.ts';
import { PageQuery } from './page.ts';
import { Id, Moment, WholeNumber, WholeNumberOr } from './parameters.ts';

test.each([
  ['019A9F3C-5B1E-7D42-8A6F-1C2D3E4F5A6B', '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b'],
  ['019a9f3c-5B1E-7d42-8a6f-1c2d3e4f5a6b', '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b'],
  ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
])('an id is parsed to lower case: %s', (text, id) => {
  expect(Id.parse(text)).toBe(id);
});

test.each([
  '',
  '019a9f3c5b1e7d428a6f1c2d3e4f5a6b',
  '{019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b}',
  'urn:uuid:019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b',
  '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b\n',
  ' 019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b',
  '019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6g',
  '00000000-0000-0000-0000-000000000001',
  '019a9f3c-5b1e-9d42-8a6f-1c2d3e4f5a6b',
  '019a9f3c-5b1e-7d42-7a6f-1c2d3e4f5a6b',
  '０19a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b',
])('an id that is no UUID of RFC 9562 is refused: %j', (text) => {
  expect(messagesAbout(Id, text)).toEqual(['a UUID is needed']);
});

test('an id of another JSON type is refused', () => {
  for (const value of NOT_STRINGS) expect(accepts(Id, value)).toBe(false);
});

test('every UUID is an id, and parsing an id twice changes nothing', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), (uuid, isUpper) => {
      const id = Id.parse(isUpper ? uuid.toUpperCase() : uuid);
      expect(id).toBe(uuid);
      expect(Id.parse(id)).toBe(id);
    }),
  );
});

test.each([
  ['1', 1],
  ['01', 1],
  ['99', 99],
  ['100', 100],
  ['000000100', 100],
])('a limit of %j is the number %i', (limit, number) => {
  expect(PageQuery.parse({ limit })).toEqual({ limit: number });
});

test.each([
  '0',
  '101',
  '-1',
  '+1',
  ' 1',
  '1 ',
  '1.0',
  '1,0',
  '1e1',
  '0x1',
  '0b1',
  '1_0',
  '1n',
  '１',
  '٣',
  '',
  'NaN',
  'Infinity',
  '9999999999',
  '0000000001',
  '1\0',
])('a limit that is no whole number from 1 to 100 in digits is refused: %j', (limit) => {
  expect(messagesAbout(PageQuery, { limit })).toEqual(['a whole number from 1 to 100 is needed']);
});

test('a limit given twice, which a query parses to a list, is refused', () => {
  for (const limit of [['1'], ['1', '2'], [], {}, null, true]) {
    expect(accepts(PageQuery, { limit })).toBe(false);
  }
});

test('a query without a limit gets the default, and no cursor', () => {
  expect(PageQuery.parse({})).toEqual({ limit: 50 });
  expect(PageQuery.parse({ limit: undefined })).toEqual({ limit: 50 });
});

test('a whole number is accepted exactly within its limits', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(1000), fc.nat(3000), (least, range, number) => {
      const most = least + range;
      const isWithin = number >= least && number <= most;
      const { success, data } = WholeNumber(least, most).safeParse(String(number));
      expect(success ? data : undefined).toBe(isWithin ? number : undefined);
    }),
  );
});

test('a default outside of the limits is the caller’s own business, a given value is not', () => {
  const wait = WholeNumberOr(0, 1, 25);
  expect(wait.parse(undefined)).toBe(0);
  expect(accepts(wait, '0')).toBe(false);
});

test.each([
  '2026-11-21T08:00:00Z',
  '2026-11-21T08:00:00.1Z',
  '2026-11-21T08:00:00.123456789Z',
  '2026-11-21T08:00:00+14:00',
  '2026-11-21T08:00:00-23:59',
  '2024-02-29T00:00:00Z',
])('a time with seconds and an offset is accepted, and kept as it is: %s', (text) => {
  expect(Moment.parse(text)).toBe(text);
});

test.each([
  '',
  '2026-11-21',
  '2026-11-21T08:00Z',
  '2026-11-21 08:00:00Z',
  '2026-11-21T08:00:00',
  '2026-11-21t08:00:00z',
  '2026-11-21T08:00:00.Z',
  '2026-11-21T08:00:00,5Z',
  '2026-11-21T08:00:00+0000',
  '2026-11-21T08:00:00+24:00',
  '2026-11-21T24:00:00Z',
  '2026-11-21T08:00:60Z',
  '2026-13-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '2026-11-21T08:00:00Z\n',
  '1763712000000',
  'yesterday',
])('a time that is not ISO 8601 with an offset is refused: %j', (text) => {
  expect(messagesAbout(Moment, text)).toEqual([
    'an ISO 8601 time is needed, such as 2026-11-21T08:00:00.000Z',
  ]);
});
