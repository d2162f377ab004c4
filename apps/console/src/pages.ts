import { stat } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import { StartError } from '@session/kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { DEMO_LOGIN } from './demo-login.ts';
import { sendProblem } from './problems.ts';

export const INVALID_PATH =
  'The path of the URL is not valid: leave out `.`, `..`, `\\` and control characters, and check its percent-encoding.';
const INDEX = 'index.html';
const HASHED = `assets${path.sep}`;

/**
 * Serves the built pages of `folder`, in the compressed form that the build made. Throws a StartError if `folder` has no pages.
 */
export async function servePages(app: FastifyInstance, folder: string): Promise<void> {
  await checkPages(folder);
  await app.register(fastifyStatic, {
    root: folder,
    preCompressed: true,
    // Only files that exist now have an address, so no request looks for others.
    wildcard: false,
    globIgnore: [INDEX, '**/*.br', '**/*.gz'],
    index: false,
    acceptRanges: false,
    lastModified: false,
    cacheControl: false,
    setHeaders: (reply, file) => setCacheControl(reply, path.relative(folder, file)),
  });
  // The media type `application/javascript`, which @fastify/static sends, is obsolete (RFC 9239).
  app.addHook('onSend', async (_request, reply) => {
    const type = String(reply.getHeader('content-type'));
    if (type.startsWith('application/javascript')) {
      void reply.type(type.replace('application', 'text'));
    }
  });
  app.setNotFoundHandler(({ raw, method }, reply) => {
    const target = pathOf(raw.url ?? '');
    if (target === undefined) {
      return sendProblem(reply, 'invalid_request', INVALID_PATH);
    }
    const allow = target === DEMO_LOGIN ? ['POST'] : ['GET', 'HEAD'];
    if (!allow.includes(method)) {
      const names = allow.join(', ');
      void reply.header('allow', names);
      return sendProblem(reply, 'method_not_allowed', `This path allows only ${names}.`);
    }
    // All routes show the same page.
    if (target === `/${INDEX}` || !hasExtension(target)) return reply.code(200).sendFile(INDEX);
    const detail = 'There is no such file. Reload the page: it may be from an earlier version.';
    return sendProblem(reply, 'not_found', detail);
  });
}

export async function checkPages(folder: string): Promise<void> {
  const index = path.join(folder, INDEX);
  const cause = await stat(index).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (cause === undefined) return;
  throw new StartError(
    `There are no pages in ${folder}: build them with \`npx pnpm --filter @session/console build\`, or set CONSOLE_PAGES_DIR.`,
    { cause },
  );
}

/** Browsers keep files with a hash in their name. They never keep the page, which names the files of the newest build. */
function setCacheControl(reply: FastifyReply, file: string): void {
  const isIndex = path.basename(file).startsWith(INDEX);
  const others = isIndex ? 'no-store' : 'no-cache';
  const isHashed = file.startsWith(HASHED);
  void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : others);
}

const FOREIGN = /[\p{Cc}\\]|\/\.\.?(?:\/|$)/u;

function pathOf(target: string): string | undefined {
  const [encoded = ''] = target.split(/[?#]/, 1);
  // A proxy may send the whole URL.
  const own = encoded.startsWith('/') ? encoded : URL.parse(encoded)?.pathname;
  try {
    const decoded = decodeURIComponent(own ?? '');
    return decoded.startsWith('/') && !FOREIGN.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function hasExtension(target: string): boolean {
  return target.slice(target.lastIndexOf('/')).includes('.');
}
