import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Repository, SourceFile, WorkspacePackage } from './source-file.ts';

const Lint = z.object({
  overrides: z.array(
    z.object({
      files: z.array(z.string()),
      rules: z.record(z.string(), z.unknown()),
    }),
  ),
});
const Knip = z.object({
  workspaces: z.record(z.string(), z.object({ entry: z.array(z.string()).default([]) })),
});
const Manifest = z.object({
  exports: z.record(z.string(), z.looseObject({ '@source': z.string() })).default({}),
});

/** Reads all that the checks look at, below the folder `root`. Throws when a configuration file is not as expected. */
export async function readRepository(root: string): Promise<Repository> {
  const lint = Lint.parse(await readJson(path.join(root, '.oxlintrc.json')));
  const { workspaces } = Knip.parse(await readJson(path.join(root, 'knip.json')));
  const folders = await workspaceFolders(root);
  return {
    packages: await Promise.all(
      folders.map((folder) => readPackage(root, folder, entryGlobs(folder, workspaces))),
    ),
    restrictedGlobs: lint.overrides
      .filter(({ rules }) => 'no-restricted-imports' in rules)
      .flatMap(({ files }) => files),
  };
}

async function workspaceFolders(root: string): Promise<string[]> {
  const text = await readFile(path.join(root, 'pnpm-workspace.yaml'), 'utf8');
  const [, list = ''] = /^packages:\n((?: +- .*\n)+)/m.exec(text) ?? [];
  const globs = list.split('\n').flatMap((line) => /- (\S+)/.exec(line)?.[1] ?? []);
  const manifests = await findFiles(
    root,
    globs.map((folder) => `${folder}/package.json`),
  );
  return manifests.map((file) => path.posix.dirname(file));
}

function entryGlobs(
  folder: string,
  workspaces: Readonly<Record<string, { readonly entry: readonly string[] }>>,
): string[] {
  return Object.entries(workspaces)
    .filter(([pattern]) => path.matchesGlob(folder, pattern))
    .flatMap(([, { entry }]) => entry);
}

async function readPackage(
  root: string,
  folder: string,
  globs: readonly string[],
): Promise<WorkspacePackage> {
  const manifest = Manifest.parse(await readJson(path.join(root, folder, 'package.json')));
  const exported = Object.values(manifest.exports).map((target) => target['@source']);
  const paths = await findFiles(root, [
    `${folder}/{src,testing,web}/**/*.{ts,tsx}`,
    `${folder}/*.mjs`,
  ]);
  return {
    folder,
    entries: await findFiles(
      root,
      [...exported, ...globs].map((entry) => path.posix.join(folder, entry)),
    ),
    files: await Promise.all(paths.map((file) => readSource(root, file))),
  };
}

async function readSource(root: string, file: string): Promise<SourceFile> {
  return { path: file, text: await readFile(path.join(root, file), 'utf8') };
}

async function findFiles(root: string, patterns: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(patterns, { cwd: root })) files.push(file);
  return files.map((file) => file.split(path.sep).join('/')).toSorted();
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}
