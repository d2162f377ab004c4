import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textLines } from './text-lines.ts';

test('the same lines, however the bytes are cut, and never the unfinished last one', async () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom('\n', '😀', 'ü'), fc.string()))
    .map((a) => a.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(20)), async (whole, sizes) => {
      const lines = whole.split('\n').slice(0, -1);
      expect(await linesOf(Buffer.from(whole), sizes)).toEqual(lines);
    }),
  );
});

test.each<[string, string[]]>([
  ['', []],
  ['cut off', []],
  ['\n\n', ['', '']],
  ['{"a":1}\n{"b":', ['{"a":1}']],
])('of the stream %j only the complete lines are read', async (whole, lines) => {
  expect(await linesOf(Buffer.from(whole), [])).toEqual(lines);
});

test('a stream that breaks gives its complete lines, and then its error', async () => {
  const lines: string[] = [];
  const reading = (async () => {
    for await (const line of textLines(broken())) lines.push(line);
  })();
  await expect(reading).rejects.toThrow('cut');
  expect(lines).toEqual(['one', 'two']);
});

async function* broken() {
  yield Buffer.from('one\ntwo\nthr');
  throw new Error('cut');
}

async function linesOf(bytes: Buffer, sizes: readonly number[]): Promise<string[]> {
  async function* chunks() {
    let begin = 0;
    for (const size of sizes) {
      yield bytes.subarray(begin, begin + size);
      begin += size;
    }
    yield bytes.subarray(begin);
  }
  const lines: string[] = [];
  for await (const line of textLines(chunks())) lines.push(line);
  return lines;
}
