import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const MAX_GZIP_BYTES = 16_000;
const root = path.resolve(import.meta.dirname, '../../..');

/** Builds the main entry as a page gets it. */
async function bundle() {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(import.meta.dirname, 'index.ts')],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17.4'],
    conditions: ['@source'],
  });
  return {
    code: outputFiles[0]?.contents ?? new Uint8Array(),
    inputs: Object.keys(metafile.inputs),
  };
}

test('the main entry bundles our own code alone: no zod, React, LiveKit or Node built-in', async () => {
  const { code, inputs } = await bundle();
  const ours = /^packages\/(client\/src|contract\/src\/room)\//;
  expect(inputs.filter((input) => !ours.test(input))).toEqual([]);
  expect(new TextDecoder().decode(code)).not.toMatch(/\bnode:|\bBuffer\b|\bprocess\.|\brequire\(/);
});

test('the main entry is at most 16 kB, compressed', async () => {
  const { code } = await bundle();
  expect(gzipSync(code).byteLength).toBeLessThanOrEqual(MAX_GZIP_BYTES);
});

test('the main entry works without TLS: nothing needs a secure context', async () => {
  const { code } = await bundle();
  expect(new TextDecoder().decode(code)).not.toMatch(/\bsubtle\b|\brandomUUID\b/);
});
