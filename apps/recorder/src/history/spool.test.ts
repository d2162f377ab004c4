import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/recorder-process.ts';
import { fillDisk, textMessage } from '../../testing/test-history.ts';
import { type Entry, isLoss } from './queued-message.ts';
import { Spool } from './spool.ts';

const [noisy, quiet] = [uuidv7(), uuidv7()];

interface Options {
  readonly limitBytes?: number;
  readonly shed?: (sessionId: string, count: number) => void;
}

async function openSpool(folder: string, { limitBytes = 1e9, shed = () => {} }: Options = {}) {
  return await Spool.open({ folder, limitBytes, shed });
}

/** Takes all that is in the spool out of it; a line that cannot be read is undefined. */
async function drain(spool: Spool): Promise<(Entry | undefined)[]> {
  const entries: (Entry | undefined)[] = [];
  while (spool.length > 0) {
    const lines = await spool.first(7);
    entries.push(...lines.map(({ entry }) => entry));
    await spool.settle(lines);
  }
  return entries;
}

const contents = (entries: readonly (Entry | undefined)[]) =>
  entries.map((entry) => entry && (isLoss(entry) ? `${entry.count} lost` : entry.content));

test('what is in it comes out in its order, by this process or the next, for the owner’s eyes only', async () => {
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
  expect([second.length, second.oldestAt]).toEqual([100, said[0]?.receivedAt]);
  expect(await drain(second)).toEqual(said);
  expect(await readdir(path.join(temp.folder, 'spool'))).toEqual([]);
  expect(await drain(first)).toEqual(said);
});

test('a last line that was cut off is none, and one that the disk has changed spoils no other', async () => {
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

test('past its limit the oldest of the noisiest session go, for good, with a loss in their place', async () => {
  await using temp = await tempFolder();
  const shed: [string, number][] = [];
  const limitBytes = 64 * 1024;
  await using spool = await openSpool(temp.folder, {
    limitBytes,
    shed: (...what) => shed.push(what),
  });
  await spool.append([textMessage(quiet, 'first')]);
  for (let number = 0; number < 500; number += 1) {
    await spool.append([textMessage(noisy, String(number))]);
    expect(spool.sizeBytes).toBeLessThanOrEqual(limitBytes);
  }
  await spool.append([textMessage(quiet, 'last')]);
  await using next = await openSpool(temp.folder);
  const entries = await drain(next);
  const [first, loss, ...kept] = contents(entries);
  const count = shed.reduce((sum, [, dropped]) => sum + dropped, 0);
  expect(new Set(shed.map(([sessionId]) => sessionId))).toEqual(new Set([noisy]));
  expect(first).toBe('first');
  expect(kept.at(-1)).toBe('last');
  const losses = entries.flatMap((entry) => (entry && isLoss(entry) ? entry : []));
  expect(loss).toMatch(/lost$/);
  expect(losses.reduce((sum, { count: lost }) => sum + lost, 0)).toBe(count);
  const numbers = kept.filter((text) => /^\d+$/.test(text ?? '')).map(Number);
  expect(numbers).toEqual(Array.from({ length: 500 }, (_, number) => number).slice(count));
});

test('what is out to be stored is not shed meanwhile', async () => {
  await using temp = await tempFolder();
  await using spool = await openSpool(temp.folder, { limitBytes: 8 * 1024 });
  const ten = Array.from({ length: 10 }, (_, number) => textMessage(noisy, String(number)));
  await spool.append(ten);
  const lines = await spool.first(5);
  for (let number = 10; number < 60; number += 1) {
    await spool.append([textMessage(noisy, String(number))]);
  }
  await spool.settle(lines);
  expect(contents(lines.map(({ entry }) => entry))).toEqual(['0', '1', '2', '3', '4']);
  const rest = await drain(spool);
  const lost = rest.map((entry) => (entry && isLoss(entry) ? entry.count : 0));
  const kept = lost.filter((count) => count === 0);
  expect(lost[0]).toBeGreaterThan(0);
  expect(lost.reduce((sum, count) => sum + count, kept.length)).toBe(55);
  expect(contents(rest).at(-1)).toBe('59');
});

test('a full disk takes nothing: what follows when it is free is whole', async () => {
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

test.runIf(process.getuid?.() === 0)('what a disk took only half of is not there', async () => {
  await using disk = await fillDisk();
  await disk.free();
  await using spool = await openSpool(disk.folder);
  await spool.append([textMessage(quiet, 'one')]);
  const many = Array.from({ length: 200 }, () => textMessage(quiet, 'x'.repeat(1000)));
  await expect(spool.append(many)).rejects.toThrow('ENOSPC');
  await spool.append([textMessage(quiet, 'two')]);
  await using next = await openSpool(disk.folder);
  expect(contents(await drain(next))).toEqual(['one', 'two']);
});
