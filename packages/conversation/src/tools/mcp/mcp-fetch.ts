import type { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { isFields } from '@session/contract/room';
import type { ExchangeRequest, HttpExchange } from '../../model/http-exchange.ts';
import { AnswerBounds } from './answer-bounds.ts';

export interface RequestOwner {
  readonly signal: AbortSignal;
  /** Receives the reason why an answer broke off, which the client does not report for event streams. */
  readonly fail: (error: unknown) => void;
}

/** A server answered a message with an HTTP status from 400: with 400 or 404 when it has forgotten the client. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;

  constructor(status: number) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

interface McpFetchOptions {
  readonly exchange: HttpExchange;
  readonly owners: AsyncLocalStorage<RequestOwner>;
  readonly timeoutMs: number;
}

/**
 * Returns a `fetch` for the MCP client. Each request ends with its owner, and no answer may be larger than 1 MiB. No stream
 * for notifications is opened: an idle agent holds no connection, and a server cannot flood it. Requests from a server get no
 * answer.
 */
export function mcpFetch({ exchange, owners, timeoutMs }: McpFetchOptions) {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const method = methodOf(init);
    if (!method) return new Response(null, { status: 405 });
    const body = typeof init.body === 'string' ? init.body : undefined;
    const asked = body === undefined ? undefined : askedBy(body);
    // An answer to a request of the server. No server needs one, because this client announces no capabilities.
    if (body !== undefined && asked === undefined) return new Response(null, { status: 202 });
    const owner = owners.getStore();
    // The cancellation of a call is sent without an owner.
    const limit = owner?.signal ?? AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const request = requestOf(method, init, body);
    const received = await exchange.send(new URL(input), request, signal);
    const { statusCode: status = 0 } = received;
    if (status >= 400) {
      received.destroy();
      throw new HttpRefusal(status);
    }
    return new Response(bodyOf(received, asked, owner), {
      status,
      headers: clientHeaders(received),
    });
  };
}

function requestOf(
  method: ExchangeRequest['method'],
  { headers }: RequestInit,
  body: string | undefined,
): ExchangeRequest {
  const common = { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' };
  if (body === undefined) return { method, headers: common };
  const length = String(Buffer.byteLength(body));
  return { method, headers: { ...common, 'content-length': length }, body };
}

function methodOf({ method }: RequestInit): 'POST' | 'DELETE' | undefined {
  return method === 'POST' || method === 'DELETE' ? method : undefined;
}

function clientHeaders({ headers }: IncomingMessage): Record<string, string> {
  const { 'content-type': type } = headers;
  const session = headers['mcp-session-id'];
  return {
    ...(type !== undefined && { 'content-type': type }),
    ...(typeof session === 'string' && { 'mcp-session-id': session }),
  };
}

function bodyOf(
  received: IncomingMessage,
  asked: string | undefined,
  owner: RequestOwner | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  const { statusCode: status } = received;
  if (status !== 204 && status !== 205) {
    return ReadableStream.from(counted(received, asked, owner));
  }
  received.resume();
  return null;
}

async function* counted(
  received: IncomingMessage,
  asked: string | undefined,
  owner: RequestOwner | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bounds = new AnswerBounds(received.headers['content-type'], asked);
  try {
    for await (const chunk of received) {
      const bytes = new Uint8Array(chunk);
      bounds.check(bytes);
      yield bytes;
    }
  } catch (error) {
    owner?.fail(error);
    throw error;
  }
}

function askedBy(body: string): string | undefined {
  const message: unknown = JSON.parse(body);
  return isFields(message) && typeof message['method'] === 'string' ? message['method'] : undefined;
}
