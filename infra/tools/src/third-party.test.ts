import { execFile } from 'node:child_process';
import { glob, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';

const root = path.resolve(import.meta.dirname, '../../..');
const LICENCES = z.record(z.string(), z.array(z.object({ name: z.string() })));
const Manifest = z.object({
  license: z.string(),
  dependencies: z.record(z.string(), z.string()).default({}),
});
/** Licences that ask for no more than to be passed on with the code. */
const PERMISSIVE: ReadonlySet<string> = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  '0BSD',
  'Unlicense',
]);

test('each package that a program or a page ships has a permissive licence, or its row in docs/third-party.md', async () => {
  const args = ['--recursive', '--filter-prod', './apps/*...', 'licenses', 'list', '--prod'];
  const { stdout } = await promisify(execFile)('pnpm', [...args, '--json'], { cwd: root });
  const ofPrograms = Object.entries(LICENCES.parse(JSON.parse(stdout))).flatMap(
    ([licence, packages]) => packages.map(({ name }) => ({ name, licence })),
  );
  expect(ofPrograms.length).toBeGreaterThan(100);
  const ofPages = await packagesOfPages();
  expect(ofPages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['react-dom', 'scheduler', 'livekit-client', '@livekit/protocol']),
  );
  const others = [...ofPrograms, ...ofPages]
    .filter(({ licence }) => !isPermissive(licence))
    .map(({ name, licence }) => `${withoutPlatform(name)}: ${licence}`);
  const page = await readFile(path.join(root, 'docs/third-party.md'), 'utf8');
  const rows = page.matchAll(/^\| `(?<name>[^`]+)` \| (?<licence>[^|]+) \|/gm);
  const documented = Array.from(
    rows,
    ({ groups }) => `${groups?.['name']}: ${groups?.['licence']}`,
  );
  expect([...new Set(others)].toSorted()).toEqual(documented.toSorted());
});

/** Returns the packages that a build of the console may put into its pages: those that they import, and what these need. */
async function packagesOfPages(): Promise<{ name: string; licence: string }[]> {
  const found = new Map<string, string>();
  const visit = async (modules: string, name: string): Promise<void> => {
    const folder = await realpath(path.join(modules, name)).catch(() => undefined);
    // A package that is not installed is one that its user may leave out.
    if (folder === undefined || found.has(folder)) return;
    const manifest = Manifest.parse(
      JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')),
    );
    found.set(folder, JSON.stringify([name, manifest.license]));
    const beside = folder.slice(0, folder.lastIndexOf('node_modules') + 'node_modules'.length);
    for (const needed of Object.keys(manifest.dependencies)) await visit(beside, needed);
  };
  const console = path.join(root, 'apps/console');
  for (const name of await importsOf('apps/console/web/**/*.{ts,tsx,css}')) {
    await visit(path.join(console, 'node_modules'), name);
  }
  for (const name of await importsOf('packages/client/src/**/*.ts')) {
    await visit(path.join(root, 'packages/client/node_modules'), name);
  }
  return Array.from(found.values(), (entry) => {
    const [name = '', licence = ''] = z.array(z.string()).parse(JSON.parse(entry));
    return { name, licence };
  });
}

/** Returns the names of the packages of others that the sources import, in tests excepted. */
async function importsOf(pattern: string): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const file of glob(pattern, { cwd: root })) {
    if (/\.test\.tsx?$/.test(file)) continue;
    const source = await readFile(path.join(root, file), 'utf8');
    const imported = source.matchAll(
      /(?:\bfrom |\bimport[ (]|@import |url\()(?<quote>['"])(?<name>[@a-z][^'"]*)\k<quote>/g,
    );
    for (const { groups } of imported) {
      const [scope = '', inner = ''] = (groups?.['name'] ?? '').split('/');
      const name = scope.startsWith('@') ? `${scope}/${inner}` : scope;
      if (!/^(?:@session\/|node:)/.test(name)) names.add(name);
    }
  }
  return names;
}

/** Whether one of the licences that a package leaves to choose from is permissive, in each part of the package. */
function isPermissive(licence: string): boolean {
  const parts = licence.replaceAll(/[()]/g, '').split(' AND ');
  return parts.every((part) => part.split(' OR ').some((name) => PERMISSIVE.has(name)));
}

/** Native code comes in a package for each platform, with the same licence. */
function withoutPlatform(name: string): string {
  return name.replace(/-(?:darwin|linux|linuxmusl|win32)-(?:arm64|x64)(?:-\w+)?$/, '');
}
