import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { provideBuild } from './provide-build.ts';

test('of many builds the oldest go, and the one in use stays', async () => {
  const cache = await mkdtemp(path.join(tmpdir(), 'builds-'));
  onTestFinished(() => rm(cache, { recursive: true }));
  const made: string[] = [];
  const provide = async (name: string) =>
    await provideBuild(cache, name, async (folder) => {
      made.push(name);
      await mkdir(folder);
    });
  const versions = Array.from({ length: 12 }, (_, version) => `version-${version}`);
  await provide('used');
  for (const [age, version] of versions.entries()) {
    await provide(version);
    // Builds of the same moment have no order. The one in use is the oldest until it is used again.
    await utimes(path.join(cache, version), age + 1, age + 1);
    await utimes(path.join(cache, 'used'), 0, 0);
    await provide('used');
  }
  expect(made).toEqual(['used', ...versions]);
  expect((await readdir(cache)).toSorted()).toEqual(['used', ...versions.slice(-9)].toSorted());
});
