import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LogLine, LogQuery, OutputLine } from './launcher.ts';
import { LogBuffer } from './log-buffer.ts';

test('the last 5,000 lines are kept, and no more than 1 MiB of them', async () => {
  const many = new LogBuffer();
  many.push(outputLines(Array.from({ length: 5003 }, (_, index) => `${index}`)));
  const kept = await linesOf(many);
  expect([kept.length, kept[0]?.line, kept.at(-1)?.line]).toEqual([5000, '3', '5002']);

  const large = new LogBuffer();
  for (let index = 0; index < 70; index += 1) large.push(outputLines(['x'.repeat(16_384)]));
  expect(await linesOf(large)).toHaveLength(64);
});

test('a slow follower continues with the oldest line that is still kept', async () => {
  const buffer = new LogBuffer();
  buffer.push(outputLines(['0']));
  const reader = buffer.read({ follow: true });
  expect((await reader.next()).value).toMatchObject({ line: '0' });
  buffer.push(outputLines(Array.from({ length: 6000 }, (_, index) => `${index + 1}`)));
  expect((await reader.next()).value).toMatchObject({ line: '1001' });
  await reader.return(undefined);
});

test.each<[string, LogQuery, number[]]>([
  ['all lines', {}, [0, 1, 2, 3, 4]],
  ['the last lines', { tail: 2 }, [3, 4]],
  ['more last lines than there are', { tail: 9 }, [0, 1, 2, 3, 4]],
  ['no last lines', { tail: 0 }, []],
  ['lines after the last one', { since: Number.MAX_SAFE_INTEGER }, []],
])('a complete log gives %s, followed or not', async (_, query, numbers) => {
  const buffer = new LogBuffer();
  buffer.push(outputLines(['0', '1', '2', '3', '4']));
  buffer.end();
  for (const follow of [false, true]) {
    const lines = await linesOf(buffer, { ...query, follow });
    expect(lines.map(({ line }) => Number(line))).toEqual(numbers);
  }
});

test('since any line gives the lines after it, and no other', async () => {
  const buffer = new LogBuffer();
  buffer.push(outputLines(Array.from({ length: 20 }, (_, index) => `${index}`)));
  const all = await linesOf(buffer);
  for (const [index, { at }] of all.entries()) {
    expect(await linesOf(buffer, { since: at })).toEqual(all.slice(index + 1));
  }
});

test('followers receive each later line once, until the end of the log', async () => {
  const buffer = new LogBuffer();
  buffer.push(outputLines(['0']));
  const followers = [linesOf(buffer, { follow: true }), linesOf(buffer, { follow: true, tail: 0 })];
  for (const line of ['1', '2', '3']) {
    await setImmediate();
    buffer.push(outputLines([line]));
  }
  buffer.end();
  const texts = (await Promise.all(followers)).map((lines) => lines.map(({ line }) => line));
  expect(texts).toEqual([
    ['0', '1', '2', '3'],
    ['1', '2', '3'],
  ]);
});

test('a follower ends at once with its signal, also before its first line', async () => {
  const buffer = new LogBuffer();
  const stop = new AbortController();
  const following = linesOf(buffer, { follow: true, signal: stop.signal });
  await setImmediate();
  stop.abort();
  expect(await following).toEqual([]);
  buffer.push(outputLines(['late']));
  expect(await linesOf(buffer, { follow: true, signal: AbortSignal.abort() })).toEqual([]);
});

function outputLines(lines: readonly string[]): OutputLine[] {
  return lines.map((line) => ({ line }));
}

async function linesOf(buffer: LogBuffer, query: LogQuery = {}): Promise<LogLine[]> {
  return await Array.fromAsync(buffer.read(query));
}
