import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';

const root = path.resolve(import.meta.dirname, '../../..');
const LICENCES = z.record(z.string(), z.array(z.object({ name: z.string() })));
/** Licences that ask for no more than to be passed on with the code. */
const PERMISSIVE: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  '0BSD',
  'Unlicense',
]);

test('each package that a program ships has a permissive licence, or its row in docs/third-party.md', async () => {
  const args = ['--recursive', '--filter-prod', './apps/*...', 'licenses', 'list', '--prod'];
  const { stdout } = await promisify(execFile)('pnpm', [...args, '--json'], { cwd: root });
  const shipped = Object.entries(LICENCES.parse(JSON.parse(stdout)));
  expect(shipped.flatMap(([, packages]) => packages).length).toBeGreaterThan(100);
  const others = shipped
    .filter(([licence]) => !isPermissive(licence))
    .flatMap(([licence, packages]) =>
      packages.map(({ name }) => `${withoutPlatform(name)}: ${licence}`),
    );
  const page = await readFile(path.join(root, 'docs/third-party.md'), 'utf8');
  const rows = page.matchAll(/^\| `(?<name>[^`]+)` \| (?<licence>[^|]+) \|/gm);
  const documented = Array.from(
    rows,
    ({ groups }) => `${groups?.['name']}: ${groups?.['licence']}`,
  );
  expect([...new Set(others)].toSorted()).toEqual(documented.toSorted());
});

/** Whether one of the licences that a package leaves to choose from is permissive, in each part of the package. */
function isPermissive(licence: string): boolean {
  const parts = licence.replaceAll(/[()]/g, '').split(' AND ');
  return parts.every((part) => part.split(' OR ').some((name) => PERMISSIVE.has(name)));
}

/** Native code comes in a package for each platform, with the same licence. */
function withoutPlatform(name: string): string {
  return name.replace(/-(?:darwin|linux|linuxmusl|win32)-(?:arm64|x64)(?:-\w+)?$/, '');
}
