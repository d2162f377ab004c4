import { anyCharacter } from '@session/testing/any-character';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

/** Texts with all kinds of line ends, and characters of up to four bytes. */
const text = fc
  .array(
    fc.oneof(fc.constantFrom('\n', '\r\n', '\r', '😀', 'ü'), fc.string({ unit: anyCharacter })),
  )
  .map((parts) => parts.join(''));

test('the same lines, however the bytes are cut into chunks', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(40)), (whole, sizes) => {
      const bytes = Buffer.from(whole);
      expect(split(chunksOf(bytes, sizes))).toEqual(split([bytes]));
    }),
  );
});

test('no text is lost: the lines and their ends are the whole text again', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const normalized = whole.toWellFormed().replaceAll('\r\n', '\n');
      const isEnded = normalized.endsWith('\n') || normalized === '';
      expect(
        split([Buffer.from(whole)])
          .map((line) => `${line}\n`)
          .join(''),
      ).toBe(isEnded ? normalized : `${normalized}\n`);
    }),
  );
});

test.each<[string, string, string[]]>([
  ['nothing', '', []],
  ['only line ends', '\n\r\n\n', ['', '', '']],
  ['a carriage return within a line', 'a\rb\n', ['a\rb']],
  ['a carriage return at the end of the stream', 'a\r', ['a\r']],
  ['bytes that are no UTF-8', '\u00ff', ['\u00ff']],
])('%s is split as it should be', (_, whole, lines) => {
  expect(split([Buffer.from(whole)])).toEqual(lines);
});

test('bytes that are not UTF-8 are replaced, and end no line', () => {
  const bytes = Buffer.from([0x61, 0xff, 0xc3, 0x0a, 0xc3]);
  expect(split([bytes])).toEqual(['a\ufffd\ufffd', '\ufffd']);
});

test('the splitter starts again after an end', () => {
  const splitter = new LineSplitter();
  expect(splitter.push(Buffer.from('a\nb'))).toEqual([{ line: 'a' }]);
  expect(splitter.end()).toEqual([{ line: 'b' }]);
  expect(splitter.end()).toEqual([]);
  expect(splitter.push(Buffer.from('c\n'))).toEqual([{ line: 'c' }]);
});

test('a line of exactly the greatest length stays whole only if it is cut off there', () => {
  const longest = 'x'.repeat(16_384);
  expect(split([Buffer.from(`${longest}\n`)])).toEqual([longest]);
  const pieces = split([Buffer.from(`${longest}x`)]);
  expect(pieces).toEqual([longest, 'x']);
});

test('a line without an end is cut into pieces that are marked, so that it does not fill the memory', () => {
  const splitter = new LineSplitter();
  const pieces = [...splitter.push(Buffer.alloc(40_000, 'x')), ...splitter.end()];
  expect(pieces.map(({ line, isCut }) => [line.length, isCut])).toEqual([
    [16_384, true],
    [16_384, true],
    [7232, undefined],
  ]);
});

function split(chunks: readonly Buffer[]): string[] {
  const splitter = new LineSplitter();
  const lines = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
  return lines.map(({ line }) => line);
}

function chunksOf(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let begin = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(begin, begin + size));
    begin += size;
  }
  return [...chunks, bytes.subarray(begin)];
}

test('a line of the greatest length is passed on as cut, before its end comes', () => {
  const splitter = new LineSplitter();
  const line = 'x'.repeat(16_384);
  expect(splitter.push(Buffer.from(line))).toEqual([{ line, isCut: true }]);
  expect(splitter.end()).toEqual([]);
});
