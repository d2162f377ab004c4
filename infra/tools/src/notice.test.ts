import { exec } from 'node:child_process';
import { glob, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';

const root = path.resolve(import.meta.dirname, '../../..');
/** Code of others that may be in the native library of the media client, by a text that it then contains. */
const NATIVE_CODE = [
  'libavcodec',
  'libavutil',
  'OpenH264',
  'libvpx',
  'libyuv',
  'libsrtp',
  'libopus',
  'libaom',
  'dav1d',
  'BoringSSL',
];
const Bill = z.object({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(z.object({ purl: z.string() })),
});

test('NOTICE names all code of others that the media client’s native library contains', async () => {
  const pattern = 'node_modules/.pnpm/@livekit+rtc-ffi-bindings-*/**/*.node';
  const libraries = [];
  for await (const file of glob(pattern, { cwd: root })) libraries.push(file);
  expect(libraries.length).toBeGreaterThan(0);
  const notice = await readFile(path.join(root, 'NOTICE'), 'utf8');
  const contained = new Set<string>();
  for (const library of libraries) {
    const content = await readFile(path.join(root, library));
    for (const name of NATIVE_CODE) if (content.includes(name)) contained.add(name);
  }
  expect([...contained]).toEqual(expect.arrayContaining(['libavcodec', 'OpenH264']));
  for (const name of contained) expect(notice).toContain(name);
});

test('NOTICE names each package whose licence is not permissive', async () => {
  const notice = await readFile(path.join(root, 'NOTICE'), 'utf8');
  const page = await readFile(path.join(root, 'docs/third-party.md'), 'utf8');
  const [programs = ''] = page.split('## Packages of the pages');
  const rows = Array.from(programs.matchAll(/^\| `([^`]+)` \|/gm), ([, name = '']) => name);
  expect(rows.length).toBeGreaterThan(0);
  for (const name of rows) expect(notice).toContain(name);
});

test('each program has a bill of materials with its packages', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'sbom-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const manifest = await readFile(path.join(root, 'infra/local/package.json'), 'utf8');
  const [, script] = JSON.parse(manifest).scripts.sbom.split('bootstrap.mjs ');
  await promisify(exec)(script.replace('.cache/sbom', folder), { cwd: root });
  const programs = await readdir(path.join(root, 'apps'));
  const bills = await readdir(folder);
  expect(bills.toSorted()).toEqual(programs.map((name) => `session-${name}.json`).toSorted());
  for (const name of programs.filter((one) => one !== 'console')) {
    const text = await readFile(path.join(folder, `session-${name}.json`), 'utf8');
    const purls = Bill.parse(JSON.parse(text)).components.map(({ purl }) => purl);
    expect(purls).toEqual(
      expect.arrayContaining([expect.stringMatching(/^pkg:npm\/%40livekit\/rtc-node@1\./)]),
    );
  }
});
