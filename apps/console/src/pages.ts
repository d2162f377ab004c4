import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, StartError } from '@session/kit';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The encodings that the build may have put beside a file, best first, with the endings of their files. */
const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof ENCODINGS;

/** The bytes of a file in one encoding. */
interface Body {
  readonly bytes: Buffer;
  /** The strong ETag. */
  readonly tag: string;
}

export interface PageFile {
  readonly type: string;
  readonly plain: Body;
  readonly encoded: ReadonlyMap<Encoding, Body>;
  /** Whether its name contains a hash of its content, so that it never changes. */
  readonly isImmutable: boolean;
}

/** The built pages. All of them are in memory: a request looks a path up, and opens no file. */
export interface Pages {
  readonly index: PageFile;
  /** By the path of their URL, `/index.html` excepted. */
  readonly files: ReadonlyMap<string, PageFile>;
}

/** Returns the pages in `folder`. Throws a StartError when there are none. */
export async function loadPages(folder: string): Promise<Pages> {
  const bodies = new Map<string, Body>();
  for (const name of await listFiles(folder)) {
    const bytes = await readFile(path.join(folder, name));
    bodies.set(`/${name.split(path.sep).join('/')}`, { bytes, tag: tagOf(bytes) });
  }
  const files = new Map<string, PageFile>();
  for (const [name, plain] of bodies) {
    const encoded = encodedBodies(bodies, name);
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    if (!isEncoded(bodies, name))
      files.set(name, { type, plain, encoded, isImmutable: name.startsWith('/assets/') });
  }
  const index = files.get('/index.html');
  if (!index) throw noPages(folder);
  files.delete('/index.html');
  return { index, files };
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  } catch (cause) {
    if (hasCode(cause, 'ENOENT') || hasCode(cause, 'ENOTDIR')) throw noPages(folder, cause);
    throw cause;
  }
}

function noPages(folder: string, cause?: unknown): StartError {
  return new StartError(
    `There are no pages in ${folder}: build them with \`pnpm --filter @session/console build\`, or set CONSOLE_PAGES_DIR.`,
    { cause },
  );
}

/** Returns the bodies that are beside `name`, already compressed. */
function encodedBodies(bodies: ReadonlyMap<string, Body>, name: string): Map<Encoding, Body> {
  const encoded = new Map<Encoding, Body>();
  const { br, gzip } = ENCODINGS;
  const [brotli, gzipped] = [bodies.get(`${name}${br}`), bodies.get(`${name}${gzip}`)];
  if (brotli) encoded.set('br', brotli);
  if (gzipped) encoded.set('gzip', gzipped);
  return encoded;
}

/** Whether `name` is a compressed file beside the file that it was made of. */
function isEncoded(bodies: ReadonlyMap<string, Body>, name: string): boolean {
  const ending = path.extname(name);
  return Object.values(ENCODINGS).some(
    (one) => one === ending && bodies.has(name.slice(0, -ending.length)),
  );
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}
