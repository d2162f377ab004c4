import { ModelFailure } from '@session/conversation';
import * as z from 'zod';
import type { SpeechEndpoint } from './speech-endpoint.ts';

const ERROR_TIMEOUT_MS = 1000;
const MAX_ERROR_BYTES = 65_536;
const ErrorBody = z.object({ error: z.object({ code: z.string() }) });

/** Why a speech endpoint failed, in our own words, which contain neither a key nor a provider's message. */
export class SpeechFailure extends Error {
  override readonly name = 'SpeechFailure';
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export interface SpeechRequest {
  readonly fetch: typeof fetch;
  readonly path: string;
  readonly body: FormData | string;
  readonly signal: AbortSignal;
}

/** Returns a successful response. Throws a SpeechFailure, or the reason of `signal` when it aborts. */
export async function sendSpeechRequest(
  { baseUrl, apiKey }: SpeechEndpoint,
  { fetch, path, body, signal }: SpeechRequest,
): Promise<Response> {
  const headers = {
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  };
  const response = await guard(
    fetch(`${baseUrl}${path}`, { method: 'POST', headers, body, signal }),
    signal,
  );
  if (response.ok) return response;
  throw new SpeechFailure(`HTTP ${response.status}`, await errorCode(response, signal));
}

async function errorCode(response: Response, signal: AbortSignal): Promise<string | undefined> {
  try {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(ERROR_TIMEOUT_MS)]);
    const body: unknown = JSON.parse(await readBody(response, MAX_ERROR_BYTES, soon));
    return ErrorBody.parse(body).error.code;
  } catch {
    return undefined;
  }
}

export async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const part of readParts(response, signal)) {
    size += part.byteLength;
    if (size > maxBytes) throw new SpeechFailure('the answer is too long');
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

export async function* readParts(
  { body }: Response,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await guard(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function guard<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
    if (error instanceof SpeechFailure) throw error;
    // The message of a ModelFailure is in our own words too, for example for a redirect that is not followed.
    if (error instanceof ModelFailure) throw new SpeechFailure(error.message);
    throw new SpeechFailure(signal.aborted ? 'no answer in time' : 'no connection');
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
