import type { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import {
  aborted,
  checkedLookup,
  checkName,
  hostAddress,
  http,
  isLinkLocal,
  memberLookup,
} from '@session/kit';
import { ModelFailure } from './model-failure.ts';

const MAX_REDIRECTS = 3;

const REPEATING_REDIRECTS = new Set([307, 308]);
const OTHER_REDIRECTS = new Set([301, 302, 303]);

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface HttpExchangeOptions {
  readonly variable: string;
  readonly proxies: Readonly<Record<string, string>>;
  readonly lookup?: LookupFunction | undefined;
  /** Without this function, link-local addresses and metadata services are refused. */
  readonly isRefused?: ((address: string) => boolean) | undefined;
  /** Behind a proxy, refuses names that this machine cannot resolve. */
  readonly refusesUnknown?: boolean;
}

/**
 * Sends HTTP requests to one endpoint. Node's own client is used instead of `fetch` because it follows no redirect by itself,
 * and its `lookup` checks the very address that it connects to.
 */
export class HttpExchange implements Disposable {
  readonly #variable: string;
  readonly #agents: Readonly<Record<'http:' | 'https:', HttpAgent>>;
  readonly #lookup: LookupFunction;
  readonly #hasProxy: boolean;
  readonly #isRefused: (address: string) => boolean;
  readonly #refusesUnknown: boolean;

  constructor(options: HttpExchangeOptions) {
    const { variable, proxies, lookup = memberLookup, isRefused = isLinkLocal } = options;
    this.#variable = variable;
    this.#lookup = lookup;
    this.#isRefused = isRefused;
    this.#refusesUnknown = options.refusesUnknown ?? false;
    this.#hasProxy = Object.keys(proxies).length > 0;
    const given = { keepAlive: true, ...(this.#hasProxy && { proxyEnv: proxies }) };
    this.#agents = { 'http:': new http.Agent(given), 'https:': new https.Agent(given) };
  }

  /**
   * Returns the response once its headers have arrived. Follows redirects within the same origin only, so neither the key nor
   * the conversation reaches another host. Throws a ModelFailure; its cause is the status of a redirect that is not followed,
   * or the code of a connection error.
   */
  async send(url: URL, request: ExchangeRequest, signal: AbortSignal): Promise<IncomingMessage> {
    let target = url;
    let status = 0;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await this.#sendOnce(target, request, signal);
      ({ statusCode: status = 0 } = response);
      if (status < 300 || status >= 400) return response;
      response.destroy();
      target = this.#redirectTarget(target, request.method, response);
    }
    throw this.#refusal('the endpoint redirects in a circle', status);
  }

  async sendOnce(
    url: URL,
    request: ExchangeRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const response = await this.#sendOnce(url, request, signal);
    const { statusCode: status = 0 } = response;
    if (status < 300 || status >= 400) return response;
    response.destroy();
    this.#redirectTarget(url, request.method, response);
    return response;
  }

  [Symbol.dispose](): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #sendOnce(
    url: URL,
    { method, headers, body }: ExchangeRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const refusal = () => this.#refusal('the endpoint has a link-local address, which is refused');
    const rule = { isRefused: this.#isRefused, refusal, refusesUnknown: this.#refusesUnknown };
    const host = hostAddress(url.hostname);
    if (this.#isRefused(host)) throw refusal();
    if (this.#hasProxy) {
      await Promise.race([checkName(this.#lookup, host, rule), aborted(signal)]);
      signal.throwIfAborted();
    }
    const isSecure = url.protocol === 'https:';
    const open = isSecure ? https.request : http.request;
    const agent = this.#agents[isSecure ? 'https:' : 'http:'];
    const lookup = checkedLookup(this.#lookup, rule);
    const sent = open(url, { method, headers, agent, lookup });
    const { promise: response, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    sent.once('response', (received) => {
      // The reader sees every error too, unless it has stopped reading.
      received.on('error', () => {});
      resolve(received);
    });
    sent.once('upgrade', (received, socket) => {
      socket.destroy();
      received.destroy();
      reject(this.#refusal('the endpoint changes to another protocol (HTTP 101)', 101));
    });
    sent.on('error', reject);
    destroyOnAbort(sent, signal, reject);
    sent.end(body);
    try {
      return await response;
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof ModelFailure) throw cause;
      const code = codeOf(cause);
      throw new ModelFailure('unreachable', `no connection (${code})`, { cause: code });
    }
  }

  #redirectTarget(
    from: URL,
    method: ExchangeRequest['method'],
    { statusCode: status = 0, headers: { location } }: IncomingMessage,
  ): URL {
    const isRepeated =
      REPEATING_REDIRECTS.has(status) || (method === 'GET' && OTHER_REDIRECTS.has(status));
    if (!isRepeated || location === undefined || !URL.canParse(location, from.href)) {
      throw this.#refusal(`the endpoint redirects (HTTP ${status})`, status);
    }
    const target = new URL(location, from);
    if (target.origin === from.origin) return target;
    throw this.#refusal(
      `the endpoint redirects to another host (HTTP ${status}), which gets no key`,
      status,
    );
  }

  #refusal(message: string, cause?: number): ModelFailure {
    return new ModelFailure('refused', `${message}: check ${this.#variable}`, { cause });
  }
}

/**
 * Ends a request when `signal` aborts. Node's own `signal` option also destroys an idle connection whose response is
 * complete, and nobody handles that error, so it would end the process. A request that waits for a proxy's tunnel emits
 * nothing when it is destroyed, so `reject` informs its caller.
 */
function destroyOnAbort(
  sent: ClientRequest,
  signal: AbortSignal,
  reject: (error: Error) => void,
): void {
  let response: IncomingMessage | undefined;
  const abort = () => {
    if (response?.complete) {
      response.resume();
      return;
    }
    const error = new Error('aborted');
    sent.destroy(error);
    reject(error);
  };
  sent.once('response', (received) => {
    response = received;
  });
  sent.once('close', () => signal.removeEventListener('abort', abort));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
}

/** Returns the code of a system error. Unlike the message, it contains no address and no header. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
