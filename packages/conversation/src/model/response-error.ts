import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ModelFailure, readRetryAfter } from './model-failure.ts';

const MAX_ERROR_BYTES = 65_536;

/** Reads the body of an error, as far as it can be had: it only helps to find out which field was refused. */
export async function readError(response: IncomingMessage): Promise<string> {
  return (await readBody(response, MAX_ERROR_BYTES)) ?? '';
}

/** Reads a whole body. Returns undefined when it is larger than `maxBytes` or breaks off. */
export async function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of response) {
      const bytes = Buffer.from(chunk);
      sizeBytes += bytes.length;
      if (sizeBytes > maxBytes) return undefined;
      chunks.push(bytes);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the failure that an HTTP status stands for. */
export function statusFailure(status: number, headers: IncomingHttpHeaders): ModelFailure {
  const message = `the endpoint answered HTTP ${status}`;
  const retryAfterMs = readRetryAfter(headers['retry-after'], Date.now());
  if (status === 429) return new ModelFailure('busy', message, { retryAfterMs });
  if (status >= 500 || status === 408) return new ModelFailure('unreachable', message);
  return new ModelFailure('refused', message);
}
