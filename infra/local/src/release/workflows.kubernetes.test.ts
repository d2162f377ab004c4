import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');
const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';

const run = promisify(execFile);
const hasGo = await run('go', ['version']).then(
  () => true,
  () => false,
);

// In this run because it has Go: a fresh clone needs none for `npm test`. Go keeps the program in its cache.
test.skipIf(!hasGo)('actionlint accepts the workflows of CI and of a release', async () => {
  // A shell checker that happens to be on the machine would check more than CI does.
  const args = ['run', ACTIONLINT, '-shellcheck=', '-pyflakes=', '-format', '{{json .}}'];
  const found = await run('go', args, { cwd: root }).catch(({ stdout }: { stdout: string }) => ({
    stdout,
  }));
  expect(JSON.parse(found.stdout)).toEqual([]);
});
