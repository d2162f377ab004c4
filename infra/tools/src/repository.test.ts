import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readRepository } from './repository.ts';

test('packages are those of pnpm-workspace.yaml, with their files, their entries and the restricted globs', async () => {
  const root = await folderOf({
    'pnpm-workspace.yaml':
      '# note\npackages:\n  - bench\n  - apps/*\n\nallowBuilds:\n  other: true\n',
    '.oxlintrc.json': JSON.stringify({
      overrides: [
        { files: ['apps/**'], rules: { 'no-restricted-imports': ['error'] } },
        { files: ['bench/**'], rules: { 'no-console': 'off' } },
      ],
    }),
    'knip.json': JSON.stringify({
      workspaces: {
        'apps/*': { entry: ['src/main.ts'] },
        'apps/api': { entry: ['src/work/{a,b}.ts'] },
      },
    }),
    'bench/package.json': '{}',
    'bench/src/main.ts': '',
    'bench/dist/main.ts': '',
    'apps/api/package.json':
      '{"exports":{"./config":{"@source":"./src/config.ts","default":"./dist/config.js"}}}',
    'apps/api/src/main.ts': 'main',
    'apps/api/src/config.ts': '',
    'apps/api/src/work/a.ts': '',
    'apps/api/testing/rows.ts': '',
    'apps/notes/readme.md': '',
    'other/package.json': '{}',
  });
  const { packages, restrictedGlobs } = await readRepository(root);
  expect(restrictedGlobs).toEqual(['apps/**']);
  expect(packages.map(({ folder }) => folder)).toEqual(['apps/api', 'bench']);
  const [api] = packages;
  expect(api?.files.map((file) => file.path)).toEqual([
    'apps/api/src/config.ts',
    'apps/api/src/main.ts',
    'apps/api/src/work/a.ts',
    'apps/api/testing/rows.ts',
  ]);
  expect(api?.files[1]?.text).toBe('main');
  expect(api?.entries).toEqual([
    'apps/api/src/config.ts',
    'apps/api/src/main.ts',
    'apps/api/src/work/a.ts',
  ]);
});

test('this repository can be read: each of its packages has files', async () => {
  const { packages } = await readRepository(path.resolve(import.meta.dirname, '../../..'));
  expect(packages.map(({ folder }) => folder)).toEqual(
    expect.arrayContaining(['apps/api', 'bench', 'infra/local', 'packages/kit']),
  );
  expect(packages.filter(({ files }) => files.length === 0)).toEqual([]);
});

/** Returns a new folder with the files, given as texts by their paths. The folder is removed after the test. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'check-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
}
