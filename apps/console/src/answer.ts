import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { ERROR_CODES, type ErrorCode } from '@session/kit';
import { acceptedEncoding } from './accepted-encoding.ts';
import type { PageFile } from './pages.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

const NOTHING = Buffer.alloc(0);
const A_YEAR_S = 31_536_000;

/** Returns `content` as JSON that is not kept anywhere. */
export function json(content: unknown): HttpAnswer {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(content)) };
}

/** Returns a problem (RFC 9457) in the shape of those of the API. */
export function problem(
  code: ErrorCode,
  detail: string,
  headers: OutgoingHttpHeaders = {},
): HttpAnswer {
  const { status, title } = ERROR_CODES[code];
  const requestId = randomUUID();
  const content = { type: `urn:problem:${code}`, title, status, detail, code, requestId };
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
    body: Buffer.from(JSON.stringify(content)),
  };
}

/** Returns the page that shows every route. It is never kept, because it names the files of the newest build. */
export function indexPage(index: PageFile, request: IncomingMessage): HttpAnswer {
  const { body, headers } = represent(index, request);
  return { status: 200, headers: { ...headers, 'cache-control': 'no-store' }, body: body.bytes };
}

/** Returns a file. A browser keeps it: for ever when its name has a hash, otherwise it asks whether the file has changed. */
export function pageFile(file: PageFile, request: IncomingMessage): HttpAnswer {
  const { body, headers } = represent(file, request);
  const kept = {
    ...headers,
    etag: body.tag,
    'cache-control': file.isImmutable ? `public, max-age=${A_YEAR_S}, immutable` : 'no-cache',
  };
  if (matches(request.headers['if-none-match'], body.tag)) {
    return { status: 304, headers: kept, body: NOTHING };
  }
  return { status: 200, headers: kept, body: body.bytes };
}

/** Returns the body that suits the request, and the headers that describe this body. */
function represent({ type, plain, encoded }: PageFile, { headers }: IncomingMessage) {
  const encoding = acceptedEncoding(headers['accept-encoding']?.toString(), encoded.keys());
  const body = (encoding && encoded.get(encoding)) ?? plain;
  return {
    body,
    headers: {
      'content-type': type,
      ...(encoding && { 'content-encoding': encoding }),
      ...(encoded.size > 0 && { vary: 'accept-encoding' }),
    },
  };
}

/** Whether an If-None-Match names `tag`. A proxy that compressed the answer has made a weak tag of it. */
function matches(header: string | undefined, tag: string): boolean {
  const tags = new Set((header ?? '').split(',').map((one) => one.trim().replace(/^W\//, '')));
  return tags.has(tag) || tags.has('*');
}
