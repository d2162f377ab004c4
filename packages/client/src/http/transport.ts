import { ApiError, ConnectionError } from './api-error.ts';
import { Attempt } from './attempt.ts';
import { type Bearer, type Token, userOf } from './bearer.ts';
import type { Call } from './call.ts';
import { isAway, Outage } from './outage.ts';
import { pause, unlessAborted } from './pause.ts';
import { readProblem } from './read-problem.ts';
import { isWorthRetry, retryDelay } from './retry.ts';

type Read<T> = (response: Response, attempt: Attempt) => Promise<T>;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly bearer: Bearer;
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly random: () => number;
}

export class Transport {
  readonly options: TransportOptions;
  readonly #outage: Outage;

  constructor(options: TransportOptions) {
    this.options = options;
    this.#outage = new Outage(options.random);
  }

  retryNow(): void {
    this.#outage.retryNow();
  }

  async json<T>(call: Call): Promise<T> {
    return await this.#send(call, async (response, attempt): Promise<T> => {
      const text = await response.text();
      try {
        return JSON.parse(text);
      } catch {
        // An answer with neither a length nor chunks looks whole when it is cut. No cause is attached, because it would
        // show a part of the answer.
        throw attempt.failure(undefined, 'JSON');
      }
    });
  }

  async nothing(call: Call): Promise<void> {
    await this.#send(call, async (response) => await response.text());
  }

  async *text(call: Call, silenceMs = this.options.timeoutMs): AsyncGenerator<string, void> {
    const { attempt, reader } = await this.#send(call, async ({ body }, opened) => ({
      attempt: opened,
      reader: body?.getReader(),
    }));
    const decoder = new TextDecoder();
    try {
      for (;;) {
        attempt.expectWithin(silenceMs);
        const piece = await reader?.read().catch((error: unknown) => {
          throw attempt.failure(error);
        });
        attempt.end();
        if (!piece || piece.done) return;
        yield decoder.decode(piece.value, { stream: true });
      }
    } finally {
      attempt.end();
      // Otherwise the connection stays open when the caller leaves early.
      await reader?.cancel().catch(() => {});
    }
  }

  async #send<T>(call: Call, read: Read<T>): Promise<T> {
    const { maxRetries, random } = this.options;
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.#sendAuthorized(call, read);
      } catch (error) {
        if (failures >= maxRetries || !isWorthRetry(error, call.retry)) throw error;
        if (!isUrgent(call) && this.#outage.delays(error)) continue;
        await pause(retryDelay(error, failures, random), call.signal);
      }
    }
  }

  async #sendAuthorized<T>(call: Call, read: Read<T>): Promise<T> {
    const { bearer } = this.options;
    const { signal, isPublic } = call;
    const token = isPublic ? undefined : await unlessAborted(bearer.current(), signal);
    try {
      return await this.#try(call, token, read);
    } catch (error) {
      if (!token || !(error instanceof ApiError) || error.status !== 401) throw error;
      const next = await unlessAborted(bearer.replace(token), signal);
      if (!next || userOf(next) !== userOf(token)) throw error;
      return await this.#try(call, next, read);
    }
  }

  async #try<T>(call: Call, token: Token, read: Read<T>): Promise<T> {
    const { baseUrl, fetch, timeoutMs } = this.options;
    const { method, body, signal, waitMs = 0, acceptedStatus } = call;
    const name = `${method} ${call.path}`;
    const url = `${baseUrl}${call.path}${queryOf(call)}`;
    const headers = headersOf(call, token);
    const sent = body ? JSON.stringify(body) : null;
    signal?.throwIfAborted();
    const turn = await this.#outage.turn(name, isUrgent(call), signal);
    const attempt = new Attempt(name, baseUrl, signal);
    attempt.expectWithin(timeoutMs + waitMs);
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: sent,
        signal: attempt.signal,
        cache: 'no-store',
      }).catch((error: unknown) => {
        if (!signal?.aborted) this.#outage.note(error, turn, attempt.signal.aborted);
        throw error;
      });
      const isFailure = !response.ok && response.status !== acceptedStatus;
      const problem = isFailure ? await readProblem(response) : undefined;
      if (isAway(problem)) this.#outage.note(problem, turn);
      else this.#outage.end();
      if (problem) throw problem;
      return await read(response, attempt);
    } catch (error) {
      const isTold = error instanceof ApiError || error instanceof ConnectionError;
      throw isTold && !signal?.aborted ? error : attempt.failure(error);
    } finally {
      attempt.end();
    }
  }
}

/**
 * Returns whether a person waits for the effect of a request. Requests that read, or that join a room, are repeated by
 * programs.
 */
function isUrgent({ method, isBackground = method === 'GET' }: Call): boolean {
  return !isBackground;
}

function headersOf(call: Call, token: Token): Headers {
  const { accept = 'application/json', body, header: [name, value] = ['', undefined] } = call;
  const headers = new Headers({ accept });
  if (body) headers.set('content-type', 'application/json');
  if (value !== undefined) headers.set(name, value);
  // The platform's own error for an invalid header would reveal the token.
  if (token && !/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError(
      'the token cannot be sent in a header: pass it in ASCII, without spaces and line ends',
    );
  }
  if (token) headers.set('authorization', `Bearer ${token}`);
  return headers;
}

function queryOf({ query = {} }: Call): string {
  // JSON leaves out what is undefined.
  const given: Record<string, string> = JSON.parse(JSON.stringify(query));
  const text = new URLSearchParams(given).toString();
  return text && `?${text}`;
}
