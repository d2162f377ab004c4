import { fstatSync, writeSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LogFile } from './log-file.ts';

test('the previous start’s log is kept, and nobody else may read the new one', async () => {
  const file = await newFile();
  await writeFile(file, 'before\n');
  await using log = await LogFile.open(file);
  expect(await log.tail(1)).toEqual([`Full log: ${file}`]);
  expect(await readFile(`${file}.1`, 'utf8')).toBe('before\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a log that grows too large is truncated, its lines are kept, and writing goes on', async () => {
  const file = await newFile();
  await using _ = await LogFile.open(file, { largestBytes: 10, checkEveryMs: 5 });
  await appendFile(file, 'longer than ten\n');
  await expect.poll(async () => (await stat(file)).size).toBe(0);
  await appendFile(file, 'after\n');
  expect(await readFile(file, 'utf8')).toBe('after\n');
  expect(await readFile(`${file}.1`, 'utf8')).toBe('longer than ten\n');
});

test('a log that the user has removed is truncated all the same, and nothing fails', async () => {
  const file = await newFile();
  await using log = await LogFile.open(file, { largestBytes: 10, checkEveryMs: 5 });
  await rm(file);
  writeSync(log.descriptor, 'longer than ten\n');
  await expect.poll(() => fstatSync(log.descriptor).size).toBe(0);
});

test('the end of a log shows the error, and not its stack trace', async () => {
  const file = await newFile();
  await using log = await LogFile.open(file);
  await appendFile(file, 'SyntaxError: no\n    at a (b.ts:1)\n    at c (d.ts:2)\n\nNode.js v24\n');
  expect(await log.tail(2)).toEqual(['SyntaxError: no', 'Node.js v24', `Full log: ${file}`]);
});

async function newFile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return path.join(folder, 'part.log');
}
