import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plainProgress } from '../supervision/progress.ts';
import { providePages } from './provide-pages.ts';

const SOURCES = {
  'apps/console/web/main.tsx': 'main',
  'apps/console/vite.config.ts': '',
  'apps/console/precompress.ts': '',
  'apps/console/package.json': '{}',
  'packages/client/src/index.ts': 'client',
  'packages/client/package.json': '{}',
  'packages/contract/src/index.ts': 'contract',
  'packages/contract/package.json': '{}',
  'pnpm-lock.yaml': '',
};
/** In place of Vite: its pages are what the main file contains, and each of its runs adds a line to a file. */
const BUILDER = `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const folder = process.argv[process.argv.indexOf('--outDir') + 1];
appendFileSync('../../runs', process.argv[2] + '\\n');
const content = readFileSync('web/main.tsx', 'utf8');
if (content === 'broken') {
  console.error('✗ Build failed in 3 ms\\nerror during build:\\nBuild failed with 1 error:\\n\\n[PARSE_ERROR] web/main.tsx is broken\\n  at 1:1');
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
writeFileSync(folder + '/index.html', content);
`;

test('pages are built once for the same sources, and again for changed ones; both builds stay', async () => {
  const checkout = await makeCheckout();
  const first = await checkout.provide();
  expect(await checkout.provide()).toBe(first);
  await checkout.write('packages/contract/src/index.ts', 'changed');
  await checkout.write('packages/contract/src/new.ts', '');
  const second = await checkout.provide();
  expect(second).not.toBe(first);
  await checkout.write('packages/contract/src/index.ts', 'contract');
  await rm(path.join(checkout.root, 'packages/contract/src/new.ts'));
  expect(await checkout.provide()).toBe(first);
  expect(await checkout.runs()).toBe(2);
  expect(await readFile(path.join(first, 'index.html'), 'utf8')).toBe('main');
});

test('a change of any source builds the pages again', async () => {
  const checkout = await makeCheckout();
  await checkout.provide();
  const names = Object.keys(SOURCES);
  const runs = [];
  for (const name of names) {
    await checkout.write(name, 'changed');
    await checkout.provide();
    runs.push([name, await checkout.runs()]);
  }
  expect(runs).toEqual(names.map((name, index) => [name, index + 2]));
});

test('a change of a test builds nothing', async () => {
  const checkout = await makeCheckout();
  await checkout.provide();
  await checkout.write('apps/console/web/main.test.ts', 'changed');
  await checkout.provide();
  expect(await checkout.runs()).toBe(1);
});

test('a build that fails leaves nothing, and the error says why and what to do; corrected sources are built', async () => {
  const checkout = await makeCheckout();
  await checkout.write('apps/console/web/main.tsx', 'broken');
  await expect(checkout.provide()).rejects.toThrow(
    'The console’s pages cannot be built: [PARSE_ERROR] web/main.tsx is broken\nRun `npx vite build` in apps/console',
  );
  expect(await readdir(checkout.cache)).toEqual([]);
  await checkout.write('apps/console/web/main.tsx', 'main');
  expect(await readdir(await checkout.provide())).toEqual(['index.html']);
});

test('two starts at the same time have the same pages', async () => {
  const checkout = await makeCheckout();
  const [one, other] = await Promise.all([checkout.provide(), checkout.provide()]);
  expect(one).toBe(other);
  expect(await readdir(one)).toEqual(['index.html']);
});

test('a build that is stopped ends at once', async () => {
  const checkout = await makeCheckout();
  await expect(checkout.provide(AbortSignal.abort())).rejects.toThrow(/abort/);
  expect(await readdir(checkout.cache)).toEqual([]);
});

/** Makes a checkout with the sources of pages, and a builder that is quick. */
async function makeCheckout() {
  const root = await mkdtemp(path.join(tmpdir(), 'pages-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const cache = path.join(root, 'cache');
  const write = async (name: string, content: string) => {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  };
  for (const [name, content] of Object.entries(SOURCES)) await write(name, content);
  await write('apps/console/node_modules/vite/bin/vite.js', BUILDER);
  const progress = plainProgress(() => {});
  return {
    root,
    cache,
    write,
    provide: async (stop = new AbortController().signal) =>
      await providePages({ stop, progress, root, cache }),
    runs: async () => (await readFile(path.join(root, 'runs'), 'utf8')).trim().split('\n').length,
  };
}
