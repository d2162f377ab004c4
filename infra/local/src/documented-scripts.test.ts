import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readRepositoryFile } from '../testing/variables.ts';

const root = path.resolve(import.meta.dirname, '../../..');

test('each script that the repository names is one of the package that it is said to be of', async () => {
  const pattern = 'npm (--prefix [a-z/-]+ )?run (--silent )?[a-z][a-z:-]*';
  const named = await findAll(pattern);
  expect(named.length).toBeGreaterThan(10);
  const missing = [];
  for (const command of named) {
    const { folder = '.', script = '' } =
      /^npm (?:--prefix (?<folder>\S+) )?run (?:--silent )?(?<script>\S+)$/.exec(command)?.groups ??
      {};
    const { scripts } = JSON.parse(await readRepositoryFile(path.join(folder, 'package.json')));
    if (!(script in scripts)) missing.push(command);
  }
  expect(missing).toEqual([]);
});

test('each tier that the repository names is a project of vitest.config.ts', async () => {
  const config = await readRepositoryFile('vitest.config.ts');
  const named = await findAll('npm test (--silent )?-- --project [a-z]+');
  expect(named.length).toBeGreaterThan(5);
  const isTier = (command: string) =>
    new RegExp(`(tier\\(|name: )'${command.split(' ').at(-1)}'`).test(config);
  expect(named.filter((command) => !isTier(command))).toEqual([]);
});

/** Returns the different texts in files of the repository that match. */
async function findAll(pattern: string): Promise<string[]> {
  const args = ['grep', '--no-index', '--exclude-standard', '-hoE', pattern];
  const { stdout } = await promisify(execFile)('git', args, { cwd: root });
  return [...new Set(stdout.split('\n').filter(Boolean))];
}
