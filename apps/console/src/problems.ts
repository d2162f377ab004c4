import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_CODES, type ErrorCode, hasCode } from '@session/kit';
import type { FastifyReply } from 'fastify';

const DETAILS = {
  invalid_request: 'This is not a valid HTTP request: send HTTP/1.1.',
  headers_too_large: 'All headers together may have at most 16 KiB: send fewer or shorter headers.',
  request_timeout: 'Send the whole request within 15 seconds.',
} as const;

export function sendProblem(reply: FastifyReply, code: ErrorCode, detail: string): FastifyReply {
  const problem = problemOf(code, detail);
  return reply
    .code(problem.status)
    .headers(headersOf(problem))
    .send(Buffer.from(JSON.stringify(problem)));
}

/** Answers and closes a connection that did not send a valid request. */
export function refuseConnection(error: Error, socket: Socket): void {
  if (hasCode(error, 'ECONNRESET') || !socket.writable) return void socket.destroy();
  const code = codeOf(error);
  const problem = problemOf(code, DETAILS[code]);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(headersOf(problem)).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function problemOf(code: ErrorCode, detail: string) {
  const { status, title } = ERROR_CODES[code];
  return { type: `urn:problem:${code}`, title, status, detail, code, requestId: randomUUID() };
}

function headersOf({ requestId }: ReturnType<typeof problemOf>): Record<string, string> {
  return {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-request-id': requestId,
  };
}

function codeOf(error: Error): keyof typeof DETAILS {
  if (hasCode(error, 'HPE_HEADER_OVERFLOW')) return 'headers_too_large';
  if (hasCode(error, 'ERR_HTTP_REQUEST_TIMEOUT')) return 'request_timeout';
  return 'invalid_request';
}
