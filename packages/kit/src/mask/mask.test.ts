import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMask, maskSpans } from './mask.ts';

test.each<[string, string[], string, string]>([
  ['a value', ['sk-1234'], 'key sk-1234, again sk-1234', 'key ••••, again ••••'],
  ['a value with special characters of patterns', ['a.c*$&'], 'a.c*$& abc', '•••• abc'],
  [
    'a value that is the beginning of another one',
    ['key-1', 'key-12'],
    'key-12 key-1',
    '•••• ••••',
  ],
  ['a value that overlaps another one', ['abcdef', 'defghi'], 'abcdefghi!', '••••!'],
  ['a value within another one', ['x-key-x', 'key-'], 'x-key-x key-', '•••• ••••'],
  ['each line of a value', ['-- BEGIN\nabcdef'], 'abcdef', '••••'],
  ['a value in JSON', ['pass"word'], '{"key":"pass\\"word"}', '{"key":"••••"}'],
  [
    'a value in JSON within JSON',
    ['pass"word'],
    '"{\\"key\\":\\"pass\\\\\\"word\\"}"',
    '"{\\"key\\":\\"••••\\"}"',
  ],
  ['a value in the JSON of Python', ['pässword'], '"p\\u00e4ssword"', '"••••"'],
  ['a value in a URL', ['p/ss word'], 'http://x?key=p%2Fss%20word', 'http://x?key=••••'],
  ['a value in a URL of Python', ["p/ss(word)'"], 'key=p%2Fss%28word%29%27', 'key=••••'],
  ['a value in a path of Python', ['p/ss*w rd'], 'key=p/ss%2Aw%20rd', 'key=••••'],
  ['a value in a URL with small letters', ['p/ss:word'], 'key=p%2fss%3aword', 'key=••••'],
  ['a value in a whole URL', ['p@ss word'], 'http://p@ss%20word/', 'http://••••/'],
  ['a value in a form', ['p/ss word'], 'key=p%2Fss+word', 'key=••••'],
  ['a value in a form of Python', ['p/ss *~d'], 'key=p%2Fss+%2A~d', 'key=••••'],
  ['a value in a form of a browser', ['p/ss *~d'], 'key=p%2Fss+*%7Ed', 'key=••••'],
  ['a value in the JSON of PHP', ['p/ss"w'], '"p\\/ss\\"w"', '"••••"'],
  ['a long value that was cut short', ['k'.repeat(40)], `${'k'.repeat(35)}!`, '••••!'],
])('%s is masked', async (_, values, line, masked) => {
  expect(await maskText(values, line)).toBe(masked);
});

test.each([0, 1, 2, 3, 4, 5])(
  'a value in Base64 is masked behind %i other bytes, but for characters that it shares with its neighbours',
  async (offset) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const text = `${'x'.repeat(offset)}sk-hunter2??>>~~of the tests, which is long enough to be cut${'y'.repeat(4)}`;
      const encoded = Buffer.from(text).toString(encoding);
      const value = text.slice(offset, -4);
      expect(await maskText([value], encoded)).toMatch(/^[eHh4]{0,8}.?••••.{0,9}$/);
    }
  },
);

test('values that are empty or too short to be secrets are not masked', async () => {
  expect(await maskText(['', '1', 'yes'], 'yes, 1 line')).toBe('yes, 1 line');
});

test('no value is ever shown, whatever the values and the text around them are', async () => {
  // Few characters, so that values overlap, repeat and contain each other.
  const value = fc.string({
    unit: fc.constantFrom('a', 'b', '"', '\\', 'ü'),
    minLength: 4,
    maxLength: 90,
  });
  const values = fc.array(value, { minLength: 1, maxLength: 8 });
  const around = fc.array(fc.oneof(fc.nat(7), fc.string({ unit: fc.constantFrom('a', 'b', ' ') })));
  await fc.assert(
    fc.asyncProperty(values, around, async (secrets, parts) => {
      const text = parts
        .map((part) => (typeof part === 'number' ? (secrets[part % secrets.length] ?? '') : part))
        .join('');
      const masked = await maskText(secrets, text);
      expect(secrets.filter((secret) => masked.includes(secret))).toEqual([]);
    }),
  );
});

test('what is no secret is shown unchanged', async () => {
  const mask = await createMask(['sk-hunter2', 'x'.repeat(500)]);
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('s', 'k', '-', 'h', 'ü', '\n'), maxLength: 200 }),
      (text) => {
        expect(mask.spansIn(text)).toEqual([]);
      },
    ),
  );
});

async function maskText(values: readonly string[], text: string): Promise<string> {
  return maskSpans(text, (await createMask(values)).spansIn(text));
}
