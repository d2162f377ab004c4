import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readRepositoryFile } from '../testing/variables.ts';

const root = path.resolve(import.meta.dirname, '../../..');

test('each script that the repository names is one of the package that it is said to be of', async () => {
  const pattern = 'npm (--prefix [a-z0-9/-]+ )?run (--silent )?[a-z][a-z:-]*';
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
  expect(named.length).toBeGreaterThan(4);
  const isTier = (command: string) =>
    new RegExp(`(tier\\(|name: )'${command.split(' ').at(-1)}'`).test(config);
  expect(named.filter((command) => !isTier(command))).toEqual([]);
});

/** Returns the different texts in files of the repository that match. */
async function findAll(pattern: string): Promise<string[]> {
  const found = new Set<string>();
  const files = glob(['**', '.ci/**', '.github/**'], {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => /^(node_modules|dist|\.(?!ci|github).*)$/.test(name),
  });
  for await (const file of files) {
    if (!file.isFile()) continue;
    const text = await readFile(path.join(file.parentPath, file.name), 'utf8');
    for (const [match] of text.matchAll(new RegExp(pattern, 'g'))) found.add(match);
  }
  return [...found];
}
