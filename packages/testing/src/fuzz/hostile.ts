import * as fc from 'fast-check';
import { anyCharacter } from '../any-character.ts';

const TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  'a\udfff',
  '\u202e\u2028',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-1',
  '1e400',
  '0x10',
  "' or 1=1; --",
  '../../etc/passwd',
  '%00%ff%',
  '{{7*7}}',
  '<script>',
  '\r\nx-injected: yes',
  '9999-12-31T23:59:59.999999999-14:00',
  '00000000-0000-0000-0000-000000000000',
  'ﷺ'.repeat(500),
  'x'.repeat(5000),
];
const NUMBERS = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308];

/** Texts that JSON parsers accept and few databases can store. */
export const brokenText: fc.Arbitrary<string> = fc.constantFrom('\ud83d', 'a\ude00', 'a\0b');

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
);

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(...NUMBERS, null, true, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
  fc.nat(200).map(nested),
);

export const hostileBody: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '{',
    '{"a":}',
    '{"a":1,"a":2}',
    '{"__proto__":{"a":1}}',
    '{"name":"\\ud800"}',
    '\ufeff{}',
    '{}{}',
    '[1,]',
    'NaN',
    '1'.repeat(5000),
    '['.repeat(50_000),
    'name=value',
    '\0',
  ),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
);

/**
 * Returns `value` with `hostile` in place of a part or as an additional field, or without one of its fields. The indexes
 * choose the place, one for each level.
 */
export function spoil(
  value: unknown,
  [index = 0, ...indexes]: readonly number[],
  hostile: unknown,
): unknown {
  const isTree = typeof value === 'object' && value !== null;
  const keys = isTree ? Object.keys(value) : [];
  const key = keys[index % Math.max(keys.length, 1)];
  if (key === undefined || index % 7 === 0) {
    const hasFields = isTree && !Array.isArray(value);
    return hasFields && index % 2 === 0 ? { ...value, unexpected: hostile } : hostile;
  }
  const copy: Record<string, unknown> = { ...Object(value) };
  if (index % 7 === 1 && !Array.isArray(value)) delete copy[key];
  else copy[key] = spoil(copy[key], indexes, hostile);
  return Array.isArray(value) ? Object.values(copy) : copy;
}

function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
}
