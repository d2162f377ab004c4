import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { readBody } from '@session/kit';
import { ModelFailure, readRetryAfter } from './model-failure.ts';

const MAX_ERROR_BYTES = 65_536;
/** A wrong key; a model or an address that the key may not use; a model or an address that does not exist. */
const REFUSING_STATUSES = new Set([401, 403, 404]);

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

/** Returns the failure of a request for an answer. If the request was declined, `cause` is the status. */
export function answerFailure(status: number, headers: IncomingHttpHeaders): ModelFailure {
  const failure = statusFailure(status, headers);
  if (failure.kind !== 'refused' || REFUSING_STATUSES.has(status)) return failure;
  return new ModelFailure('declined', failure.message, { cause: status });
}
