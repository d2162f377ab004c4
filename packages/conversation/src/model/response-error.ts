import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { readBody } from '../read-body.ts';
import { ModelFailure, readRetryAfter } from './model-failure.ts';

const MAX_ERROR_BYTES = 65_536;

export async function readError(response: IncomingMessage): Promise<string> {
  return (await readBody(response, MAX_ERROR_BYTES)) ?? '';
}

export function statusFailure(status: number, headers: IncomingHttpHeaders): ModelFailure {
  const message = `the endpoint answered HTTP ${status}`;
  const retryAfterMs = readRetryAfter(headers['retry-after'], Date.now());
  if (status === 429) return new ModelFailure('busy', message, { retryAfterMs });
  if (status >= 500 || status === 408) return new ModelFailure('unreachable', message);
  return new ModelFailure('refused', message);
}
