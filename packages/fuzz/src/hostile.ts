import * as fc from 'fast-check';

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

/** What parsers of JSON take and few stores can keep. */
export const brokenText: fc.Arbitrary<string> = fc.constantFrom('\ud83d', 'a\ude00', 'a\0b');

/** Texts that programs have stumbled over. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** Any JSON that is not what is asked for. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(...NUMBERS, null, true, [], {}),
  fc.jsonValue({ maxDepth: 3 }),
  fc.nat(200).map(deep),
);

/** What is no JSON, or not what its sender thinks it is. */
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
  fc.string({ unit: 'binary', maxLength: 60 }),
);

/** Gives `value` with something hostile in it: in the place of a part, or beside all; `turns` say where. */
export function spoil(
  value: unknown,
  [turn = 0, ...turns]: readonly number[],
  hostile: unknown,
): unknown {
  const isTree = typeof value === 'object' && value !== null;
  const keys = isTree ? Object.keys(value) : [];
  const key = keys[turn % Math.max(keys.length, 1)];
  if (key === undefined || turn % 7 === 0) {
    const hasFields = isTree && !Array.isArray(value);
    return hasFields && turn % 2 === 0 ? { ...value, strange: hostile } : hostile;
  }
  const copy: Record<string, unknown> = { ...Object(value) };
  if (turn % 7 === 1 && !Array.isArray(value)) delete copy[key];
  else copy[key] = spoil(copy[key], turns, hostile);
  return Array.isArray(value) ? Object.values(copy) : copy;
}

function deep(levels: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
}
