import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fillDisk, textMessage } from '../../../testing/history-writer.ts';
import { tempFolder } from '../../../testing/recorder-process.ts';
import type { QueuedMessage } from '../../message-path.ts';
import { isLost } from '../queued-message.ts';
import { Spool } from './spool.ts';
import { lineOf } from './spool-line.ts';

const [noisy, quiet] = [uuidv7(), uuidv7()];

interface Options {
  readonly limitBytes?: number;
  readonly onShed?: (sessionId: string, count: number) => void;
}

async function openSpool(folder: string, { limitBytes = 1e9, onShed = () => {} }: Options = {}) {
  return await Spool.open({ folder: path.join(folder, 'spool'), limitBytes, onShed });
}

/** Takes everything out of the spool; a line that cannot be read is undefined. */
async function drain(spool: Spool): Promise<(QueuedMessage | undefined)[]> {
  const messages: (QueuedMessage | undefined)[] = [];
  while (spool.length > 0) {
    const lines = await spool.first(7);
    messages.push(...lines.map(({ queued }) => queued));
    await spool.settle(lines);
  }
  return messages;
}

const contents = (messages: readonly (QueuedMessage | undefined)[]) =>
  messages.map((queued) => queued && (isLost(queued) ? `${queued.count} lost` : queued.content));

test('spooled messages come out in order, in this process or the next, and only the owner can read the files', async () => {
  await using temp = await tempFolder();
  const said = Array.from({ length: 100 }, (_, number) => textMessage(quiet, `${number}\n"é"`));
  await using first = await openSpool(temp.folder, { limitBytes: 100_000 });
  for (let from = 0; from < 100; from += 10) await first.append(said.slice(from, from + 10));
  const files = await readdir(path.join(temp.folder, 'spool'));
  expect(files.length).toBeGreaterThan(3);
  for (const name of files) {
    expect((await stat(path.join(temp.folder, 'spool', name))).mode & 0o777).toBe(0o600);
  }
  await using second = await openSpool(temp.folder);
  expect(second.length).toBe(100);
  expect(second.sinceBySession).toEqual(new Map([[quiet, said[0]?.receivedAt]]));
  expect(await drain(second)).toEqual(said);
  expect(await readdir(path.join(temp.folder, 'spool'))).toEqual([]);
  expect(await drain(first)).toEqual(said);
});

/** Returns the sizes of the files of the spool. */
async function fileSizes(folder: string): Promise<number[]> {
  const names = await readdir(path.join(folder, 'spool'));
  const stats = names.map((name) => stat(path.join(folder, 'spool', name)));
  return (await Promise.all(stats)).map(({ size }) => size);
}

test('what is stored leaves the disk, although the spool never runs empty', async () => {
  await using temp = await tempFolder();
  const limitBytes = 64 * 1024;
  await using spool = await openSpool(temp.folder, { limitBytes });
  let said = 0;
  const append = async (count: number) => {
    const numbers = Array.from({ length: count }, () => said++);
    await spool.append(numbers.map((number) => textMessage(quiet, String(number))));
  };
  await append(3);
  for (let round = 0; round < 40; round += 1) {
    await append(10);
    while (spool.length > 3) await spool.settle(await spool.first(spool.length - 3));
    const sizes = await fileSizes(temp.folder);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(limitBytes);
  }
  // The next process stores again the lines that are still in the files.
  await using next = await openSpool(temp.folder, { limitBytes });
  expect(next.length).toBeLessThan(50);
  expect(contents(await drain(spool))).toEqual(['400', '401', '402']);
});

test('a file with few stored messages takes more, and a new file follows when most of it is stored', async () => {
  await using temp = await tempFolder();
  await using spool = await openSpool(temp.folder);
  const [small, large] = ['x', 'x'.repeat(70_000)].map((text) => textMessage(quiet, text));
  if (!small || !large) throw new Error('no messages');
  for (let round = 0; round < 10; round += 1) {
    await spool.append([small, small]);
    await spool.settle(await spool.first(1));
  }
  expect(await fileSizes(temp.folder)).toHaveLength(1);
  await spool.append([large, small]);
  await spool.settle(await spool.first(11));
  await spool.append([small]);
  expect(await fileSizes(temp.folder)).toHaveLength(2);
  await spool.settle(await spool.first(9));
  expect([await fileSizes(temp.folder), spool.length]).toEqual([[expect.any(Number)], 1]);
});

test('a last line that was cut off is ignored, and a line that the disk has changed spoils no other', async () => {
  await using temp = await tempFolder();
  const said = ['one', 'two', 'three'].map((text) => textMessage(quiet, text));
  await using first = await openSpool(temp.folder);
  await first.append(said);
  const [name = ''] = await readdir(path.join(temp.folder, 'spool'));
  const file = path.join(temp.folder, 'spool', name);
  await writeFile(file, (await readFile(file, 'utf8')).replace(/"two"/, '"t'));
  await appendFile(file, '{"kind":"text","sess');
  await using second = await openSpool(temp.folder);
  const more = textMessage(quiet, 'four');
  await second.append([more]);
  expect(contents(await drain(second))).toEqual(['one', undefined, 'three', 'four']);
});

test('past its limit the oldest messages of the noisiest session are dropped for good, with a mark in their position', async () => {
  await using temp = await tempFolder();
  const shed: [string, number][] = [];
  const limitBytes = 64 * 1024;
  await using spool = await openSpool(temp.folder, {
    limitBytes,
    onShed: (...what) => shed.push(what),
  });
  await spool.append([textMessage(quiet, 'first')]);
  for (let number = 0; number < 500; number += 1) {
    await spool.append([textMessage(noisy, String(number))]);
    expect(spool.sizeBytes).toBeLessThanOrEqual(limitBytes);
  }
  await spool.append([textMessage(quiet, 'last')]);
  await using next = await openSpool(temp.folder);
  const messages = await drain(next);
  const [first, mark, ...kept] = contents(messages);
  const count = shed.reduce((sum, [, dropped]) => sum + dropped, 0);
  expect(new Set(shed.map(([sessionId]) => sessionId))).toEqual(new Set([noisy]));
  expect(first).toBe('first');
  expect(kept.at(-1)).toBe('last');
  const marks = messages.flatMap((queued) => (queued && isLost(queued) ? queued : []));
  expect(mark).toMatch(/lost$/);
  expect(marks.reduce((sum, { count: lost }) => sum + lost, 0)).toBe(count);
  const numbers = kept.filter((text) => /^\d+$/.test(text ?? '')).map(Number);
  expect(numbers).toEqual(Array.from({ length: 500 }, (_, number) => number).slice(count));
});

test.each([
  [
    'read',
    async (spool: Spool, ten: readonly QueuedMessage[]) => {
      await spool.append(ten);
      return await spool.first(5);
    },
  ],
  [
    'appended',
    async (spool: Spool, ten: readonly QueuedMessage[]) => {
      await spool.append(ten, 5);
      return ten.slice(0, 5).map(lineOf);
    },
  ],
])('lines that are being stored since they were %s are not dropped meanwhile', async (_, lend) => {
  await using temp = await tempFolder();
  await using spool = await openSpool(temp.folder, { limitBytes: 8 * 1024 });
  const ten = Array.from({ length: 10 }, (__, number) => textMessage(noisy, String(number)));
  const lines = await lend(spool, ten);
  for (let number = 10; number < 60; number += 1) {
    await spool.append([textMessage(noisy, String(number))]);
  }
  await spool.settle(lines);
  expect(contents(lines.map(({ queued }) => queued))).toEqual(['0', '1', '2', '3', '4']);
  const rest = await drain(spool);
  const lost = rest.map((queued) => (queued && isLost(queued) ? queued.count : 0));
  const kept = lost.filter((count) => count === 0);
  expect(lost[0]).toBeGreaterThan(0);
  expect(lost.reduce((sum, count) => sum + count, kept.length)).toBe(55);
  expect(contents(rest).at(-1)).toBe('59');
});

test('a full disk takes nothing, and messages that follow when it is free are whole', async () => {
  await using disk = await fillDisk();
  await using spool = await openSpool(disk.folder);
  const large = textMessage(quiet, 'x'.repeat(30_000));
  for (let tries = 0; tries < 3; tries += 1) {
    await expect(spool.append([large])).rejects.toThrow(/ENOSPC|EACCES/);
  }
  expect([spool.length, spool.sizeBytes]).toEqual([0, 0]);
  await disk.free();
  await spool.append([textMessage(quiet, 'free')]);
  await using next = await openSpool(disk.folder);
  expect(contents(await drain(next))).toEqual(['free']);
});

test.runIf(process.getuid?.() === 0)(
  'a batch of which the disk took only a part is not in the spool',
  async () => {
    await using disk = await fillDisk();
    await disk.free();
    await using spool = await openSpool(disk.folder);
    await spool.append([textMessage(quiet, 'one')]);
    const many = Array.from({ length: 200 }, () => textMessage(quiet, 'x'.repeat(1000)));
    await expect(spool.append(many)).rejects.toThrow('ENOSPC');
    await spool.append([textMessage(quiet, 'two')]);
    await using next = await openSpool(disk.folder);
    expect(contents(await drain(next))).toEqual(['one', 'two']);
  },
);
