import type { IncomingMessage } from 'node:http';
import { type HttpAnswer, indexPage, json, pageFile, problem } from './answer.ts';
import { hasDemoKey } from './demo-key.ts';
import { isLocalRequest, isOwnPage } from './local-request.ts';
import type { Pages } from './pages.ts';

/** What the routes answer with. */
export interface RouteDeps {
  readonly pages: Pages;
  /** The address of the API for browsers. */
  readonly apiUrl: string;
  /** Returns the account that visitors of this machine may try the console with; undefined where there is none. */
  readonly demoAccount: () => DemoTokens | undefined;
}

/** The source of tokens of the demo account. */
interface DemoTokens {
  /** What a page must have to get a token. */
  readonly key: string;
  /** Returns a token. Throws when the API does not give one. */
  token(): Promise<string>;
}

/** Returns the answer to `request`. The body of a request is never read: no route needs one. */
export async function answer(request: IncomingMessage, deps: RouteDeps): Promise<HttpAnswer> {
  const path = pathOf(request.url ?? '');
  if (path === undefined) return problem('invalid_request', 'The path of the URL is not valid.');
  if (path === '/demo-login') {
    return request.method === 'POST' ? await demoLogin(request, deps) : onlyBy('POST');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return onlyBy('GET, HEAD');
  // A client that gets this answer could get the pages too: they are in memory.
  if (path === '/health') return json({ status: 'ok' });
  if (path === '/config.json') {
    return json({ apiUrl: deps.apiUrl, demo: isLocalRequest(request) && hasDemo(deps) });
  }
  const file = deps.pages.files.get(path);
  if (file) return pageFile(file, request);
  if (path === '/index.html' || !hasExtension(path)) return indexPage(deps.pages.index, request);
  return problem(
    'not_found',
    'There is no such file: reload the page, it may be of a former version.',
  );
}

/**
 * Returns a token of the demo account to a page of our own in a browser of this machine. Headers can be forged at the other end of
 * a tunnel, so the page also needs the key, which only the stack's terminal and its private files have.
 */
async function demoLogin(request: IncomingMessage, deps: RouteDeps): Promise<HttpAnswer> {
  const account = deps.demoAccount();
  if (!account) return problem('not_found', 'This console has no demo account: sign up instead.');
  if (!(isLocalRequest(request) && isOwnPage(request))) {
    return problem(
      'forbidden',
      'The demo account is for a browser on the machine of the stack only: sign up instead.',
    );
  }
  if (!hasDemoKey(request, account.key)) {
    return problem(
      'forbidden',
      'The key of the demo account is missing: open the first address that npm start prints.',
    );
  }
  try {
    return json({ token: await account.token() });
  } catch {
    return problem('unavailable', 'The API gives no token now: try again in a moment.', {
      'retry-after': '1',
    });
  }
}

function hasDemo({ demoAccount }: RouteDeps): boolean {
  return demoAccount() !== undefined;
}

function onlyBy(allow: string): HttpAnswer {
  return problem('method_not_allowed', `Only ${allow} is possible here.`, { allow });
}

/** What no path of ours contains: control characters, a backslash, and the segments `.` and `..`. */
const FOREIGN = /[\p{Cc}\\]|\/\.\.?(?:\/|$)/u;

/** Returns the decoded path of a request's target, or undefined when it is none. */
function pathOf(target: string): string | undefined {
  const [path = ''] = target.split(/[?#]/, 1);
  // A proxy may send the whole URL.
  const own = path.startsWith('/') ? path : URL.parse(path)?.pathname;
  try {
    const decoded = decodeURIComponent(own ?? '');
    return decoded.startsWith('/') && !FOREIGN.test(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the last segment of `path` looks like the name of a file. */
function hasExtension(path: string): boolean {
  return path.slice(path.lastIndexOf('/')).includes('.');
}
