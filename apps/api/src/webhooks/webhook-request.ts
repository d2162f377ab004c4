import { createHmac } from 'node:crypto';
import { TIMEOUT as LOOKUP_TIMEOUT } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { checkedLookup, hasCode, hostAddress, memberLookup } from '@session/kit';
import { mayConnect } from '@session/kit/open-networks';
import { SECRET_PREFIX } from './webhook-secrets.ts';

const TIMEOUT_MS = 15_000;
const RESPONSE_BYTES = 1024;
const MOST_RETRY_AFTER_MS = 3_600_000;

/** All attempts to send the same event have the same `id`. */
export interface WebhookRequest {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  /** All secrets sign. Without a secret, nothing is sent. */
  readonly secrets: readonly string[];
}

export interface WebhookAnswer {
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** Why the attempt failed; null after an answer with a status of 200 to 299. */
  readonly failure: string | null;
  readonly response: string;
  readonly retryAfterMs: number | undefined;
}

const HTTPS_NEEDED = 'the URL must begin with https://';
const NOT_PUBLIC = 'the address of the URL is not public, and WEBHOOK_NETWORKS does not open it';
const NOT_OPENED = 'the address of the URL is in no network that is opened for http';

const NO_SECRET = 'the secret cannot be opened: rotate it';

class ClosedAddress extends Error {}

class StaleConnection extends Error {}

/** Returns the value of `webhook-signature` (https://www.standardwebhooks.com): one signature for each secret. */
function signatureOf(
  { id, body, secrets }: Pick<WebhookRequest, 'id' | 'body' | 'secrets'>,
  timestamp: number,
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
      return `v1,${signature.digest('base64')}`;
    })
    .join(' ');
}

/**
 * Returns why messages must not be sent to `url`; undefined for a URL that is allowed. The operator opens `networks`,
 * and http is allowed only there. The addresses of a name are checked at each connection.
 */
export function refusalOfUrl(url: string, networks: readonly string[]): string | undefined {
  if (!URL.canParse(url)) return 'the URL cannot be read';
  const { protocol, username, password, hash, hostname } = new URL(url);
  const isHttp = protocol === 'http:' && networks.length > 0;
  if (protocol !== 'https:' && !isHttp) return HTTPS_NEEDED;
  if (username !== '' || password !== '') return 'the URL must not contain a user or a password';
  if (hash !== '') return 'the URL must not contain a fragment';
  const host = hostAddress(hostname);
  if (mayConnect(host, networks, isHttp ? 'http:' : 'https:')) return undefined;
  return isHttp && mayConnect(host, networks, 'https:') ? HTTPS_NEEDED : NOT_PUBLIC;
}

/** Sends requests to webhooks. Follows no redirect, and connects only to public addresses and to `networks`. */
export class WebhookSender implements Disposable {
  readonly #networks: readonly string[];
  readonly #lookups: Readonly<Record<'http:' | 'https:', LookupFunction>>;
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: 30_000 }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: 30_000 }),
  };

  constructor(networks: readonly string[], lookup: LookupFunction = memberLookup) {
    this.#networks = networks;
    const checked = (protocol: 'http:' | 'https:') =>
      checkedLookup(lookup, {
        isRefused: (address) => !mayConnect(address, networks, protocol),
        refusal: () => new ClosedAddress(protocol === 'http:' ? NOT_OPENED : NOT_PUBLIC),
      });
    this.#lookups = { 'http:': checked('http:'), 'https:': checked('https:') };
  }

  /**
   * Sends the request, and once more if an idle connection turns out to be closed. Never throws: `failure` says what went
   * wrong.
   */
  async send(request: WebhookRequest, stop?: AbortSignal): Promise<WebhookAnswer> {
    const began = performance.now();
    const durationMs = () => Math.round(performance.now() - began);
    const none = { statusCode: null, response: '', retryAfterMs: undefined };
    const refusal =
      request.secrets.length === 0 ? NO_SECRET : refusalOfUrl(request.url, this.#networks);
    if (refusal !== undefined) return { ...none, durationMs: durationMs(), failure: refusal };
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const signal = stop ? AbortSignal.any([timeout, stop]) : timeout;
      const answer = await this.#exchange(request, signal).catch((error: unknown) => {
        // The receiver closed an idle connection just as the request was sent, so it is sent again.
        if (error instanceof StaleConnection) return this.#exchange(request, signal);
        throw error;
      });
      const response = await beginningOf(answer);
      const { statusCode = 0, headers } = answer;
      const failure = statusCode >= 200 && statusCode < 300 ? null : `HTTP ${statusCode}`;
      const retryAfterMs = retryAfterOf(statusCode, headers['retry-after']);
      return { statusCode, durationMs: durationMs(), failure, response, retryAfterMs };
    } catch (error) {
      const failure = timeout.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : reasonOf(error);
      return { ...none, durationMs: durationMs(), failure };
    }
  }

  async #exchange(request: WebhookRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { id, body } = request;
    const url = new URL(request.url);
    const timestamp = Math.floor(Date.now() / 1000);
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
    const sent = (protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: this.#agents[protocol],
      lookup: this.#lookups[protocol],
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'session-service',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatureOf(request, timestamp),
      },
    });
    return await new Promise((resolve, reject) => {
      sent.on('error', (error) => {
        const isStale = sent.reusedSocket && hasCode(error, 'ECONNRESET');
        reject(
          isStale ? new StaleConnection('the connection was closed', { cause: error }) : error,
        );
      });
      sent.once('response', resolve);
      // An answer 101 is reported by another event, whose handler owns the connection.
      sent.once('upgrade', (answer, socket) => {
        socket.destroy();
        answer.destroy();
        resolve(answer);
      });
      sent.once('close', () => reject(new Error('the connection was closed')));
      sent.end(body);
    });
  }

  [Symbol.dispose](): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}

/** Returns the first KiB of an answer as text, or as much as arrived. Closes the connection of a longer answer. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > RESPONSE_BYTES) break;
    }
  } catch {
    // Only the status shows whether the request was taken, and the status has arrived.
  }
  // PostgreSQL cannot store NUL.
  return Buffer.concat(chunks).subarray(0, RESPONSE_BYTES).toString('utf8').replaceAll('\0', '');
}

function retryAfterOf(statusCode: number, value: string | undefined): number | undefined {
  if ((statusCode !== 429 && statusCode !== 503) || value === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MOST_RETRY_AFTER_MS);
}

function reasonOf(error: unknown): string {
  if (error instanceof StaleConnection) return reasonOf(error.cause);
  if (error instanceof ClosedAddress) return error.message;
  if (hasCode(error, 'ENOTFOUND')) return 'the name of the host has no address';
  if (hasCode(error, LOOKUP_TIMEOUT)) return 'the name of the host was not resolved in time';
  if (hasCode(error, 'ECONNREFUSED')) return 'the connection was refused';
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return `the connection failed (${error.code})`;
  }
  return 'the connection failed';
}
