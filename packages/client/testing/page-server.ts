import path from 'node:path';
import { serve } from '@session/testing/serve';
import { build } from 'esbuild';

const HTML =
  '<!doctype html><title>talk</title><link rel="icon" href="data:,"><script type="module" src="/talk-page.js"></script>';

/** Builds `page/talk-page.ts` as a bundler of a web client would, and serves it on loopback until it is disposed of. */
export async function servePage(): Promise<AsyncDisposable & { readonly origin: string }> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'page/talk-page.ts')],
    bundle: true,
    splitting: true,
    write: false,
    outdir: '/',
    format: 'esm',
    platform: 'browser',
    target: 'chrome120',
    conditions: ['@source'],
  });
  const scripts = new Map(outputFiles.map((file) => [file.path, file.text]));
  const server = await serve(({ url = '/' }, response) => {
    const script = scripts.get(url);
    const type = script === undefined ? 'text/html' : 'text/javascript';
    response.setHeader('content-type', `${type}; charset=utf-8`).end(script ?? HTML);
  });
  return { ...server, origin: server.url };
}
