import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, hasCode } from '@session/kit';
import { problem } from './answer.ts';

const DETAILS = {
  invalid_request: 'What arrived is no HTTP request.',
  headers_too_large: 'The headers of a request may have 16 KiB.',
  request_timeout: 'Send the whole request within 15 seconds.',
} as const;

/** Answers and closes a connection whose bytes never became a request. */
export function refuseConnection(error: Error, socket: Duplex): void {
  if (hasCode(error, 'ECONNRESET') || !socket.writable) return void socket.destroy();
  const code = codeOf(error);
  const { status, headers, body } = problem(code, DETAILS[code]);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines,
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body.toString()}`);
}

function codeOf(error: Error): keyof typeof DETAILS & ErrorCode {
  if (hasCode(error, 'HPE_HEADER_OVERFLOW')) return 'headers_too_large';
  if (hasCode(error, 'ERR_HTTP_REQUEST_TIMEOUT')) return 'request_timeout';
  return 'invalid_request';
}
