import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../testing/texts.ts';
import {
  cleanContent,
  cleanJson,
  cleanParticipant,
  cleanText,
  shortTextOf,
  timeField,
} from './clean.ts';

const MAX_CONTENT_BYTES = 65_536;

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

test.each([
  ['', ''],
  ['plain', 'plain'],
  ['a\0b', 'a\uFFFDb'],
  ['\ud83d', '\uFFFD'],
  ['\udc4b\ud83d', '\uFFFD\uFFFD'],
  ['👋\ud83d', '👋\uFFFD'],
  ['\u0001\n\u202e', '\u0001\n\u202e'],
])('PostgreSQL can store the clean text of %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test('a clean text can be stored, keeps its length, and is clean already', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const clean = cleanText(text);
      expect(isStorable(clean)).toBe(true);
      expect(clean).toHaveLength(text.length);
      expect(cleanText(clean)).toBe(clean);
      expect(clean === text).toBe(isStorable(text));
    }),
  );
});

test.each([
  ['x', 1],
  ['é', 2],
  ['€', 3],
  ['👋', 4],
])('content of %s is cut at the last character that fits into 64 KiB', (character, bytes) => {
  const most = Math.floor(MAX_CONTENT_BYTES / bytes);
  const whole = character.repeat(most);
  expect(cleanContent(whole)).toEqual({ content: whole, isCut: false });
  expect(cleanContent(whole + character)).toEqual({ content: whole, isCut: true });
});

test.each([1, 2, 3])(
  'a character that begins %i bytes before the limit is left out whole',
  (room) => {
    const head = 'x'.repeat(MAX_CONTENT_BYTES - room);
    expect(cleanContent(`${head}👋tail`)).toEqual({ content: head, isCut: true });
  },
);

test('a character that ends exactly at the limit is kept', () => {
  const head = `${'x'.repeat(MAX_CONTENT_BYTES - 4)}👋`;
  expect(cleanContent(head)).toEqual({ content: head, isCut: false });
});

test('a text that mixes characters of one to four bytes is cut after the last one that fits', () => {
  const text = '👋x\uFFFD\uFFFD€€é'.repeat(3450);
  // Byte 65,536 is the `x` of a repetition.
  const kept = text.slice(0, text.indexOf('x', 27_590) + 1);
  expect(cleanContent(text)).toEqual({ content: kept, isCut: true });
  expect(Buffer.byteLength(kept)).toBe(MAX_CONTENT_BYTES);
  expect(cleanContent(`\uFEFF${text}`).content.startsWith('\uFEFF👋')).toBe(true);
});

test('replaced characters count with the three bytes that they take', () => {
  const most = Math.floor(MAX_CONTENT_BYTES / 3);
  expect(cleanContent('\0'.repeat(most)).isCut).toBe(false);
  expect(cleanContent('\0'.repeat(most + 1))).toEqual({
    content: '\uFFFD'.repeat(most),
    isCut: true,
  });
});

test('cut content is a prefix of the text, and the next character would not fit', () => {
  const characters = fc.constantFrom('x', 'é', '€', '👋', '\0', '\ud83d');
  const texts = fc
    .tuple(
      fc.array(characters, { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 1, max: 30_000 }),
    )
    .map(([pattern, count]) => pattern.join('').repeat(Math.ceil(count / pattern.length)));
  fc.assert(
    fc.property(texts, (text) => {
      const { content, isCut } = cleanContent(text);
      const clean = cleanText(text);
      expect(clean.startsWith(content) && isStorable(content)).toBe(true);
      expect(isCut).toBe(content.length < clean.length);
      const [next = ''] = clean.slice(content.length);
      const bytes = Buffer.byteLength(content);
      expect(bytes).toBeLessThanOrEqual(MAX_CONTENT_BYTES);
      expect(bytes + Buffer.byteLength(next) > MAX_CONTENT_BYTES).toBe(isCut);
    }),
    { numRuns: 50 },
  );
});

test.each<[unknown, string | null]>([
  ['m-1', 'm-1'],
  ['x'.repeat(256), 'x'.repeat(256)],
  ['x'.repeat(257), null],
  ['', null],
  [' ', ' '],
  ['a\0', 'a\uFFFD'],
  [7, null],
  [null, null],
  [undefined, null],
  [['m-1'], null],
  [{ toString: 'm-1' }, null],
  [true, null],
])('the short text in %j is %j', (value, text) => {
  expect(shortTextOf(value)).toBe(text);
});

test('a text in any JSON value is cleaned, keys too, and everything else is kept', () => {
  expect(
    cleanJson({ 'k\0': ['a\0', { deep: '\ud800' }], number: 1.5, yes: true, none: null }),
  ).toEqual({ 'k\uFFFD': ['a\uFFFD', { deep: '\uFFFD' }], number: 1.5, yes: true, none: null });
});

test('a prototype key of a packet stays a field like any other, and pollutes nothing', () => {
  const hostile: unknown = JSON.parse('{"__proto__":{"admin":true},"constructor":1}');
  const clean = cleanJson(hostile);
  expect(JSON.stringify(clean)).toBe('{"__proto__":{"admin":true},"constructor":1}');
  expect(Object.getPrototypeOf(clean)).toBe(Object.prototype);
  expect(Reflect.get({}, 'admin')).toBeUndefined();
});

test('arrays and objects are kept down to the 64th level, and null below', () => {
  for (const isArray of [true, false]) {
    expect(cleanJson(nest(64, isArray))).toEqual(nest(64, isArray));
    expect(JSON.stringify(cleanJson(nest(65, isArray)))).not.toContain('deep');
    expect(JSON.stringify(cleanJson(nest(5000, isArray))).length).toBeLessThan(500);
  }
});

test('clean JSON is JSON that PostgreSQL accepts, and is clean already', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      anyText,
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(anyText, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      const clean = cleanJson(value);
      // JSON.stringify escapes lone surrogates and U+0000, which are what jsonb refuses.
      expect(JSON.stringify(clean)).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i);
      expect(JSON.stringify(cleanJson(clean))).toBe(JSON.stringify(clean));
    }),
  );
});

test('a participant keeps its four fields, clean, and nothing else', () => {
  const participant = {
    identity: 'a\0',
    name: '\ud800',
    sid: 'PA_\0',
    kind: 'sip\0',
    metadata: 'secret',
  };
  expect(cleanParticipant(participant)).toEqual({
    identity: 'a\uFFFD',
    name: '\uFFFD',
    sid: 'PA_\uFFFD',
    kind: 'sip\uFFFD',
  });
  expect(cleanParticipant({ ...participant, sid: null }).sid).toBeNull();
});

test.each<[unknown, string | undefined]>([
  [0, '1970-01-01T00:00:00.000Z'],
  [1_763_712_000_123, '2025-11-21T08:00:00.123Z'],
  [-1, '1969-12-31T23:59:59.999Z'],
  [1.9, '1970-01-01T00:00:00.001Z'],
  ['2026-11-21T10:00:00+02:00', '2026-11-21T08:00:00.000Z'],
  ['2026', '2026-01-01T00:00:00.000Z'],
  [8.64e15, '+275760-09-13T00:00:00.000Z'],
  [8.64e15 + 1, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  ['yesterday', undefined],
  ['', undefined],
  [null, undefined],
  [true, undefined],
  [[2026], undefined],
  [{}, undefined],
  [undefined, undefined],
])('the time of a foreign clock that sent %j is %j', (time, iso) => {
  expect(timeField('spokenAt', time)).toEqual(iso === undefined ? {} : { spokenAt: iso });
});

/** Returns a text within `levels` arrays or objects. */
function nest(levels: number, isArray: boolean): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = isArray ? [value] : { a: value };
  return value;
}
