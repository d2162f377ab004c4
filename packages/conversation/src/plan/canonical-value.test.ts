import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostileText } from '../../testing/hostile-text.ts';
import { canonicalValue } from './canonical-value.ts';

describe('a number is stored as a JSON number', () => {
  test.each([
    ['42', 42],
    [' 42 ', 42],
    [42, 42],
    ['-3.50', -3.5],
    ['+7', 7],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1,234', 1234],
    ['1,234,567.89', 1234567.89],
    ['1.234,5', 1234.5],
    ['3,5', 3.5],
    ['1 234', 1234],
    ["1'234'567", 1234567],
    ['-0', 0],
    [-0, 0],
  ])('%j as %j', (proposed, value) => {
    expect(canonicalValue({ type: 'number' }, proposed)).toStrictEqual({ value });
  });

  test.each([
    'two',
    '1 2',
    '12 people',
    '€ 20',
    '1,2,3',
    '1e999',
    'NaN',
    'Infinity',
    '0x10',
    '--1',
    '1.2.3',
    true,
  ])('refused: %j', (proposed) => {
    expect(canonicalValue({ type: 'number' }, proposed)).toStrictEqual({
      rule: 'must be a number in digits, such as 42.5',
    });
  });

  test('any number that JSON can hold stays itself', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const { value } = canonicalValue({ type: 'number' }, number);
        expect(value).toBe(JSON.parse(JSON.stringify(number)));
        expect(canonicalValue({ type: 'number' }, String(number)).value).toBe(value);
      }),
    );
  });
});

describe('a date is stored as YYYY-MM-DD', () => {
  test.each([
    '2026-11-24',
    ' 2026-11-24 ',
    '2026-11-24T23:30:00-08:00',
    '2026-11-24 09:00',
    '2026/11/24',
    '20261124',
    20261124,
    '24.11.2026',
    '24. 11. 2026',
    '24/11/2026',
    '11/24/2026',
    '24-11-2026',
    'November 24, 2026',
    'Nov 24 2026',
    'Nov. 24th, 2026',
    '24 November 2026',
    '24th of November, 2026',
    'Tuesday, 24 Nov 2026',
    'Tue, November 24, 2026',
  ])('%j', (proposed) => {
    expect(canonicalValue({ type: 'date' }, proposed)).toStrictEqual({ value: '2026-11-24' });
  });

  test.each([
    ['2026-1-5', '2026-01-05'],
    ['2028-02-29', '2028-02-29'],
    ['Sept 3 2026', '2026-09-03'],
    ['may 1 2026', '2026-05-01'],
    ['5/5/2026', '2026-05-05'],
  ])('%j as %j', (proposed, value) => {
    expect(canonicalValue({ type: 'date' }, proposed)).toStrictEqual({ value });
  });

  test.each([
    'tomorrow',
    'next Tuesday',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '3/4/2026',
    '24.11.26',
    '24.11.',
    'Foo 24 2026',
    '0000-01-01',
    '2026-11-24x',
    '13/13/2026',
    '1764000000',
  ])('refused: %j', (proposed) => {
    expect(canonicalValue({ type: 'date' }, proposed)).toStrictEqual({
      rule: 'must be a date as YYYY-MM-DD',
    });
  });

  test('every day of four centuries stays itself, in each form', () => {
    const days = fc.date({
      min: new Date('1800-01-01T00:00:00Z'),
      max: new Date('2199-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    const english = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' });
    fc.assert(
      fc.property(days, (day) => {
        const value = day.toISOString().slice(0, 10);
        for (const proposed of [value, day.toISOString(), english.format(day)]) {
          expect(canonicalValue({ type: 'date' }, proposed)).toStrictEqual({ value });
        }
      }),
    );
  });
});

describe('a choice is stored in the spelling of the plan', () => {
  const choices = ['Sea view', 'Garden', 'garden', 'STRASSE'];
  test.each([
    ['Sea view', 'Sea view'],
    ['  sea   VIEW ', 'Sea view'],
    ['garden', 'garden'],
    ['GARDEN', 'Garden'],
    ['Strasse', 'STRASSE'],
  ])('%j as %j', (proposed, value) => {
    expect(canonicalValue({ type: 'choice', choices }, proposed)).toStrictEqual({ value });
  });

  test.each(['Sea', 'Sea view or garden', '1', 'constructor', true])('refused: %j', (proposed) => {
    expect(canonicalValue({ type: 'choice', choices }, proposed)).toStrictEqual({
      rule: 'must be one of: Sea view, Garden, garden, STRASSE',
    });
  });

  test('a choice that is a number may be sent as a number', () => {
    expect(canonicalValue({ type: 'choice', choices: ['1', '2'] }, 2)).toStrictEqual({
      value: '2',
    });
  });
});

describe('a text', () => {
  test.each([
    [' John Smith \n', 'John Smith'],
    [7, '7'],
    [false, 'false'],
    ['a\0b', 'ab'],
    ['a\ud800', 'a\ufffd'],
    ['two\nlines', 'two\nlines'],
  ])('%j is stored as %j', (proposed, value) => {
    expect(canonicalValue({ type: 'text' }, proposed)).toStrictEqual({ value });
  });

  test.each([
    ['', 'must not be empty'],
    [' \0 ', 'must not be empty'],
    ['é'.repeat(4097), 'must have at most 8192 bytes'],
    [null, 'must be a text or a number'],
    [undefined, 'must be a text or a number'],
    [{ toString: 'x' }, 'must be a text or a number'],
    [['a'], 'must be a text or a number'],
    [Number.NaN, 'must be a text or a number'],
  ])('%j is refused', (proposed, rule) => {
    expect(canonicalValue({ type: 'text' }, proposed)).toStrictEqual({ rule });
  });

  test('8 KiB are accepted', () => {
    const value = 'é'.repeat(4096);
    expect(canonicalValue({ type: 'text' }, value)).toStrictEqual({ value });
  });
});

test('a stored value is its own stored form, so a second call with it changes nothing', () => {
  const types = fc.constantFrom('text' as const, 'number' as const, 'date' as const);
  fc.assert(
    fc.property(types, fc.oneof(hostileText, fc.double()), (type, proposed) => {
      const { value } = canonicalValue({ type }, proposed);
      fc.pre(value !== undefined);
      expect(canonicalValue({ type }, value)).toStrictEqual({ value });
    }),
  );
});
