import type { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { ExchangeRequest, HttpExchange } from '../../model/http-exchange.ts';

const MAX_READ_BYTES = 1_048_576;

/** Whose requests these are: a call, or the opening of a connection. */
export interface RequestOwner {
  readonly signal: AbortSignal;
  /** Learns why an answer broke off, which the client does not report for event streams. */
  readonly fail: (error: unknown) => void;
}

/** An HTTP status with which a server refuses a message: 400 or 404 where it has forgotten the client. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

interface McpFetchOptions {
  readonly exchange: HttpExchange;
  readonly owners: AsyncLocalStorage<RequestOwner>;
  /** For requests without an owner, such as the notice that a call is cancelled. */
  readonly timeoutMs: number;
}

/**
 * Returns a `fetch` for the MCP client. Each request ends with its owner, and no answer may be larger than 1 MiB. No stream for
 * notifications is opened: an idle agent holds no connection, and a server cannot flood it.
 */
export function mcpFetch({ exchange, owners, timeoutMs }: McpFetchOptions) {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const method = methodOf(init);
    if (!method) return new Response(null, { status: 405 });
    const owner = owners.getStore();
    // An aborted call still has its end to tell the server.
    const isOwned = owner && !owner.signal.aborted;
    const limit = isOwned ? owner.signal : AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      'accept-encoding': 'identity',
    };
    const body = typeof init.body === 'string' ? init.body : undefined;
    const request: ExchangeRequest = {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(body !== undefined && { body }),
    };
    const received = await exchange.send(new URL(input), request, signal);
    const { statusCode: status = 0 } = received;
    if (status >= 400) {
      received.destroy();
      throw new HttpRefusal(status);
    }
    return new Response(bodyOf(received, status, owner), {
      status,
      headers: contentType(received),
    });
  };
}

function methodOf({ method }: RequestInit): 'POST' | 'DELETE' | undefined {
  return method === 'POST' || method === 'DELETE' ? method : undefined;
}

function contentType({ headers }: IncomingMessage): Record<string, string> {
  const { 'content-type': type } = headers;
  const session = headers['mcp-session-id'];
  return {
    ...(type !== undefined && { 'content-type': type }),
    ...(typeof session === 'string' && { 'mcp-session-id': session }),
  };
}

function bodyOf(
  received: IncomingMessage,
  status: number,
  owner: RequestOwner | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  if (status !== 204 && status !== 205) return ReadableStream.from(counted(received, owner));
  received.resume();
  return null;
}

async function* counted(
  received: IncomingMessage,
  owner: RequestOwner | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let left = MAX_READ_BYTES;
  try {
    for await (const chunk of received) {
      const bytes = new Uint8Array(chunk);
      left -= bytes.length;
      if (left < 0) throw new TooLarge('the answer is too large');
      yield bytes;
    }
  } catch (error) {
    owner?.fail(error);
    throw error;
  }
}
