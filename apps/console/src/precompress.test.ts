import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { precompress } from '../precompress.ts';
import { makePages, startTestConsole } from '../testing/console.ts';

const LONG = 'export const a = 1;\n'.repeat(200);

test('what becomes smaller gets its compressed files, which the server finds; fonts and small files do not', async () => {
  const folder = await makePages({
    'index.html': '<!doctype html>',
    'assets/long.js': LONG,
    'assets/font.woff2': LONG,
    'assets/small.css': 'a{}',
  });
  await precompress(folder);
  // A second build over the first one compresses no compressed file.
  await precompress(folder);
  expect((await readdir(path.join(folder, 'assets'))).toSorted()).toEqual([
    'font.woff2',
    'long.js',
    'long.js.br',
    'long.js.gz',
    'small.css',
  ]);
  const brotli = await readFile(path.join(folder, 'assets/long.js.br'));
  const gzipped = await readFile(path.join(folder, 'assets/long.js.gz'));
  expect(brotliDecompressSync(brotli).toString()).toBe(LONG);
  expect(gunzipSync(gzipped).toString()).toBe(LONG);
  const console = await startTestConsole({ CONSOLE_PAGES_DIR: folder });
  for (const encoding of ['br', 'gzip']) {
    const { headers } = await console.ask('/assets/long.js', {
      headers: { 'accept-encoding': encoding },
    });
    expect(headers['content-encoding']).toBe(encoding);
  }
});
