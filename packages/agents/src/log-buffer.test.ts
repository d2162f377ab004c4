import { expect, test } from 'vitest';
import type { LogLine, LogQuery } from './launcher.ts';
import { LineSplitter } from './line-splitter.ts';
import { LogBuffer } from './log-buffer.ts';

test('a line is whole wherever its chunks are cut, even within a character', () => {
  const bytes = Buffer.from('grün\r\nzwei\n\nlast');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const splitter = new LineSplitter();
    const lines = [bytes.subarray(0, cut), bytes.subarray(cut)].flatMap((part) =>
      splitter.push(part),
    );
    expect([...lines, ...splitter.end()]).toEqual(['grün', 'zwei', '', 'last']);
  }
});

test('a line without an end is cut into pieces, so that it does not fill the memory', () => {
  const splitter = new LineSplitter();
  const pieces = splitter.push(Buffer.alloc(40_000, 'x'));
  expect([...pieces, ...splitter.end()].map((line) => line.length)).toEqual([16_384, 16_384, 7232]);
});

test('the last 5,000 lines are kept, and no more than 1 MiB of them', async () => {
  const many = new LogBuffer();
  many.push(Array.from({ length: 5003 }, (_, index) => `${index}`));
  const kept = await linesOf(many);
  expect([kept.length, kept[0]?.line, kept.at(-1)?.line]).toEqual([5000, '3', '5002']);

  const large = new LogBuffer();
  for (let index = 0; index < 70; index += 1) large.push(['x'.repeat(16_384)]);
  expect(await linesOf(large)).toHaveLength(64);
});

test('lines that arrive at once have different times, so that `since` neither misses nor repeats any', async () => {
  const buffer = new LogBuffer();
  buffer.push(['a', 'b', 'c']);
  const [first] = await linesOf(buffer);
  const rest = await linesOf(buffer, { since: first?.at ?? 0 });
  expect(rest.map(({ line }) => line)).toEqual(['b', 'c']);
});

test('a slow follower continues with the oldest line that is still kept', async () => {
  const buffer = new LogBuffer();
  buffer.push(['0']);
  const reader = buffer.read({ follow: true });
  expect((await reader.next()).value).toMatchObject({ line: '0' });
  buffer.push(Array.from({ length: 6000 }, (_, index) => `${index + 1}`));
  expect((await reader.next()).value).toMatchObject({ line: '1001' });
  await reader.return(undefined);
});

async function linesOf(buffer: LogBuffer, query: LogQuery = {}): Promise<LogLine[]> {
  return await Array.fromAsync(buffer.read(query));
}
