import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { run } from '../src/supervision/tool.ts';

const folder = path.resolve(import.meta.dirname, '../../../apps/console');
const pages = path.resolve(import.meta.dirname, '../../../.cache/browser/pages');

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Builds the pages, and serves them at `port` of loopback under the Content-Security-Policy of production. */
export async function servePages(
  port: number,
  { apiUrl, mediaUrl }: { readonly apiUrl: string; readonly mediaUrl: string },
): Promise<AsyncDisposable> {
  const vite = path.join(folder, 'node_modules/.bin/vite');
  await run(vite, ['build', '--outDir', pages], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const policy = [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'",
    `connect-src 'self' ${apiUrl} ${mediaUrl} ${mediaUrl.replace('ws', 'http')}`,
    "media-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const answer = async (url: string) => {
    const { pathname } = new URL(url, 'http://127.0.0.1');
    if (pathname === '/config.json') {
      const content = JSON.stringify({ apiUrl, demo: false });
      return { status: 200, type: 'application/json', content };
    }
    const extension = path.extname(pathname);
    const type = TYPES[extension] ?? 'text/html';
    const content = await readFile(path.join(pages, extension ? pathname : 'index.html')).catch(
      () => '',
    );
    return { status: content ? 200 : 404, type, content };
  };
  const server = createServer((request, response) => {
    const { url = '/' } = request;
    void answer(url).then(({ status, type, content }) =>
      response
        .writeHead(status, { 'content-type': type, 'content-security-policy': policy })
        .end(content),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
