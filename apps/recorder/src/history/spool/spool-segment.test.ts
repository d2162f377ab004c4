import { appendFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fillDisk, textMessage } from '../../../testing/history-writer.ts';
import { tempFolder } from '../../../testing/recorder-process.ts';
import { isLost } from '../queued-message.ts';
import { lineOf, type SpoolLine } from './spool-line.ts';
import { SpoolSegment } from './spool-segment.ts';

const [noisy, quiet] = [uuidv7(), uuidv7()];

const lineAt = (sessionId: string, content: string, receivedAt: number) =>
  lineOf({ ...textMessage(sessionId, content), receivedAt });

const contents = (lines: readonly SpoolLine[]) =>
  lines.map(({ queued }) => queued && (isLost(queued) ? `${queued.count} lost` : queued.content));

async function openFolder() {
  const temp = await tempFolder();
  return { file: path.join(temp.folder, '1.jsonl'), temp };
}

test('a new segment is empty, may be appended to, and takes no file that exists', async () => {
  const { file, temp } = await openFolder();
  await using _ = temp;
  const segment = await SpoolSegment.create(file);
  expect([segment.length, segment.sizeBytes, segment.isSealed]).toEqual([0, 0, false]);
  expect(await segment.first(10)).toEqual([]);
  await expect(SpoolSegment.create(file)).rejects.toThrow('EEXIST');
  await segment.close();
});

test('appended lines are counted, by session too, and settled lines no more', async () => {
  const { file, temp } = await openFolder();
  await using _ = temp;
  const segment = await SpoolSegment.create(file);
  const lines = [lineAt(noisy, 'a', 9), lineAt(quiet, 'b', 3), lineAt(noisy, 'c', 5)];
  await segment.append(lines);
  const sizes = lines.map(({ sizeBytes }) => sizeBytes);
  const [a = 0, b = 0, c = 0] = sizes;
  expect([segment.length, segment.sizeBytes]).toEqual([3, a + b + c]);
  expect(Object.fromEntries(segment.bySession)).toEqual({
    [noisy]: { sizeBytes: a + c, since: 5 },
    [quiet]: { sizeBytes: b, since: 3 },
  });
  expect(segment.settledSince).toBe(Infinity);
  segment.settle(await segment.first(2));
  expect([segment.length, segment.sizeBytes, segment.settledBytes, segment.settledSince]).toEqual([
    1,
    c,
    a + b,
    3,
  ]);
  expect(Object.fromEntries(segment.bySession)).toEqual({ [noisy]: { sizeBytes: c, since: 5 } });
  expect(contents(await segment.first(5))).toEqual(['c']);
  await segment.close();
});

test('a segment of another process is sealed, begins with its first line, and ignores half a line', async () => {
  const { file, temp } = await openFolder();
  await using _ = temp;
  const first = await SpoolSegment.create(file);
  await first.append([lineAt(noisy, 'a', 1), lineAt(quiet, 'b', 2)]);
  // Settled lines are noted only in memory, so the next process stores them again.
  first.settle(await first.first(1));
  await first.close();
  await appendFile(file, lineAt(quiet, 'cut', 3).text.slice(0, 20));
  const second = await SpoolSegment.open(file);
  expect([second.isSealed, second.length, second.bySession.get(quiet)?.since]).toEqual([
    true,
    2,
    2,
  ]);
  expect(contents(await second.first(5))).toEqual(['a', 'b']);
  await second.close();
});

test('a line larger than one read is read whole, and each read gives at least one line', async () => {
  const { file, temp } = await openFolder();
  await using _ = temp;
  const large = 'x'.repeat(3 * 1024 * 1024);
  const first = await SpoolSegment.create(file);
  await first.append([
    lineAt(noisy, 'before', 1),
    lineAt(noisy, large, 2),
    lineAt(noisy, 'after', 3),
  ]);
  await first.close();
  const second = await SpoolSegment.open(file);
  const read: (string | undefined)[] = [];
  while (second.length > 0) {
    const lines = await second.first(2);
    expect(lines.length).toBeGreaterThan(0);
    read.push(...contents(lines));
    second.settle(lines);
  }
  expect(read.map((text) => text?.length)).toEqual([6, large.length, 5]);
  await second.close();
});

test('dropping frees room on the disk, spares the lent lines, and seals the file', async () => {
  const { file, temp } = await openFolder();
  await using _ = temp;
  const segment = await SpoolSegment.create(file);
  const lines = ['0', '1', '2', '3', '4'].map((text, index) => lineAt(noisy, text, index));
  await segment.append([...lines, lineAt(quiet, 'other', 9)]);
  const { size } = await stat(file);
  const lineBytes = lines[0]?.sizeBytes ?? 0;
  const bytes = 2 * lineBytes;
  expect(await segment.shed({ sessionId: noisy, bytes }, 2)).toEqual({
    count: 2,
    freedBytes: bytes,
  });
  expect(contents(await segment.first(9))).toEqual(['0', '1', '2 lost', '4', 'other']);
  expect([segment.isSealed, segment.length]).toEqual([true, 5]);
  expect((await stat(file)).size).toBe(segment.sizeBytes);
  expect(segment.sizeBytes).toBeLessThan(size);
  expect(await readdir(temp.folder)).toEqual(['1.jsonl']);
  await segment.close();
});

test('dropping messages of a session that has none changes no file', async () => {
  const { file, temp } = await openFolder();
  await using _ = temp;
  const segment = await SpoolSegment.create(file);
  await segment.append([lineAt(noisy, 'a', 1)]);
  expect(await segment.shed({ sessionId: quiet, bytes: 1 }, 0)).toEqual({
    count: 0,
    freedBytes: 0,
  });
  expect([segment.isSealed, contents(await segment.first(9))]).toEqual([false, ['a']]);
  await segment.remove();
  expect(await readdir(temp.folder)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)(
  'a segment on a full disk takes no line, and is sealed, so that no line follows half a line',
  async () => {
    await using disk = await fillDisk();
    const segment = await SpoolSegment.create(path.join(disk.folder, '1.jsonl'));
    await expect(segment.append([lineAt(noisy, 'x'.repeat(100_000), 1)])).rejects.toThrow('ENOSPC');
    expect([segment.isSealed, segment.length, segment.sizeBytes]).toEqual([true, 0, 0]);
    await segment.close();
    expect((await stat(path.join(disk.folder, '1.jsonl'))).size).toBe(0);
  },
);
