import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { readJson, writeJson } from './json-file.ts';

test('what is written is read again, by its owner alone; a failed write leaves nothing', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'json-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [file, taken] = [path.join(folder, 'file.json'), path.join(folder, 'taken')];
  await writeJson(file, { secret: 'hunter2' });
  expect(await readJson(file, z.object({ secret: z.string() }))).toEqual({ secret: 'hunter2' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await mkdir(taken);
  await expect(writeJson(taken, {})).rejects.toMatchObject({ code: 'EISDIR' });
  expect((await readdir(folder)).toSorted()).toEqual(['file.json', 'taken']);
});
