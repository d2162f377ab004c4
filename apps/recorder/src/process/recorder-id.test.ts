import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { provideRecorderId } from './recorder-id.ts';

async function tempFolder(): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'recorder-id-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test('the same id at each start, in a file that only the owner can read, and one id for two processes that start at once', async () => {
  await using temp = await tempFolder();
  const folder = path.join(temp.folder, 'new', 'spool');
  const [first, second] = await Promise.all([provideRecorderId(folder), provideRecorderId(folder)]);
  expect(second).toBe(first);
  const { mtimeMs } = await stat(folder);
  expect(await provideRecorderId(folder)).toBe(first);
  expect(await readdir(folder)).toEqual(['recorder-id']);
  // A later start writes nothing in the folder, so it also succeeds on a full disk.
  expect((await stat(folder)).mtimeMs).toBe(mtimeMs);
  expect((await stat(path.join(folder, 'recorder-id'))).mode & 0o777).toBe(0o600);
});

test('a StartError, not another id, when the file holds something else or the folder cannot be used', async () => {
  await using temp = await tempFolder();
  const file = path.join(temp.folder, 'recorder-id');
  await writeFile(file, 'x');
  await expect(provideRecorderId(temp.folder)).rejects.toThrow(StartError);
  await expect(provideRecorderId(path.join(file, 'folder'))).rejects.toThrow('ENOTDIR');
});
