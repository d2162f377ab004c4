import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { pause } from '@session/kit';
import { cutText, oneLine } from '../clean-text.ts';
import { KEY_WORDS, type ModelSettings, NO_KEY } from '../settings/settings.ts';
import { ModelAnswer } from './answer.ts';
import { answerEvents, wireLimit } from './answer-events.ts';
import { findOnlyModel } from './find-model.ts';
import { HttpExchange } from './http-exchange.ts';
import type { Model, ModelOutput } from './model.ts';
import { ModelFailure } from './model-failure.ts';
import { isTooLong, type ModelRequest, RequestDialect } from './request-dialect.ts';
import { answerFailure, readError } from './response-error.ts';
import { Retries } from './retries.ts';
import { SilenceTimer } from './silence-timer.ts';

export interface ModelClientOptions {
  readonly lookup?: LookupFunction;
  readonly pauseScale?: number;
  readonly mayRetry?: boolean;
  readonly log?: (line: string) => void;
}

const RELEASE_MS = 1000;
const MAX_NAME_LENGTH = 100;

export class ModelClient implements Model, Disposable {
  readonly isFallback = false;
  readonly #settings: ModelSettings;
  readonly #exchange: HttpExchange;
  readonly #dialect: RequestDialect;
  readonly #pauseScale: number;
  readonly #mayRetry: boolean;
  #model: string | undefined;

  constructor(settings: ModelSettings, options: ModelClientOptions = {}) {
    const { lookup, pauseScale = 1, mayRetry = true } = options;
    this.#settings = settings;
    const { proxies, prefix } = settings;
    this.#exchange = new HttpExchange({ variable: `${prefix}_BASE_URL`, proxies, lookup });
    this.#dialect = new RequestDialect(settings, options.log);
    this.#pauseScale = pauseScale;
    this.#mayRetry = mayRetry;
    this.#model = settings.model;
  }

  get name(): string | undefined {
    // An endpoint that is asked for its only model may echo the key.
    return this.#model && this.#unkeyed(this.#model);
  }

  get hasTools(): boolean {
    return this.#dialect.hasTools;
  }

  get hasAllTools(): boolean {
    return this.#dialect.hasAllTools;
  }

  get hasJson(): boolean {
    return this.#dialect.hasJson;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelOutput> {
    const retries = new Retries();
    let hasSpoken = false;
    for (;;) {
      try {
        for await (const output of this.#attempt(request, signal)) {
          hasSpoken ||= output.type === 'text' && output.text.trim() !== '';
          yield output;
          // Chunks that arrived before the abort are still queued.
          signal.throwIfAborted();
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelFailure) || hasSpoken || !this.#mayRetry) throw error;
        const { delayMs, isNewlyBusy } = retries.next(error);
        yield { type: 'retry', isNewlyBusy };
        await pause(delayMs * this.#pauseScale, signal);
        signal.throwIfAborted();
      }
    }
  }

  [Symbol.dispose](): void {
    this.#exchange[Symbol.dispose]();
  }

  async *#attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelOutput> {
    const timer = new SilenceTimer(this.#settings);
    const abandoned = new AbortController();
    const either = AbortSignal.any([signal, timer.signal, abandoned.signal]);
    let isRead = false;
    try {
      const response = await timer.wait(this.#open(request, either));
      yield* this.#read(response, timer, request.mayBeEmpty ?? false);
      isRead = true;
      release(response);
    } catch (error) {
      // The reason of the abort says more than the error that it caused.
      either.throwIfAborted();
      throw error;
    } finally {
      // A consumer that stops early ends the request too.
      if (!isRead) abandoned.abort();
    }
  }

  async *#read(
    response: IncomingMessage,
    timer: SilenceTimer,
    mayBeEmpty: boolean,
  ): AsyncGenerator<ModelOutput> {
    const { maxOutputTokens } = this.#settings;
    const answer = new ModelAnswer(maxOutputTokens);
    let isCharged = false;
    try {
      for await (const delta of answerEvents(response, timer, wireLimit(maxOutputTokens))) {
        if (delta.hasToken) timer.reset();
        isCharged ||= delta.hasToken;
        const text = answer.add(delta);
        if (text !== '') yield { type: 'text', text };
        if (answer.isFull) break;
      }
      isCharged = true;
      const rest = answer.flush();
      if (rest !== '') yield { type: 'text', text: rest };
      const end = answer.finish(mayBeEmpty);
      this.#dialect.note(end.toolCalls);
      yield { type: 'end', ...end };
    } catch (error) {
      if (isCharged) yield { type: 'wasted', usage: answer.usage };
      throw error;
    }
  }

  async #open(request: ModelRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { baseUrl } = this.#settings;
    const headers = this.#headers();
    this.#model ??= await findOnlyModel(this.#exchange, this.#settings, headers, signal);
    for (;;) {
      const body = this.#dialect.bodyOf(request, this.#model);
      const sent = { method: 'POST', headers, body: JSON.stringify(body) } as const;
      const url = new URL(`${baseUrl}/chat/completions`);
      const response = await this.#exchange.send(url, sent, signal);
      const { statusCode: status = 0 } = response;
      if (status < 300) {
        this.#dialect.accept(body);
        return response;
      }
      const error = await readError(response);
      if (isTooLong(status, error)) throw new ModelFailure('too_long', 'the request is too long');
      const lesson = this.#dialect.learn(status, error, body);
      if (lesson === 'chance')
        throw new ModelFailure('faulty', `a tool call failed (HTTP ${status})`);
      if (lesson === 'none') throw answerFailure(status, response.headers);
    }
  }

  #unkeyed(name: string): string {
    const { apiKey } = this.#settings;
    const isSecret = apiKey !== '' && !KEY_WORDS.includes(apiKey);
    return cutText(oneLine(isSecret ? name.replaceAll(apiKey, '••••') : name), MAX_NAME_LENGTH);
  }

  #headers(): Record<string, string> {
    const { apiKey } = this.#settings;
    return {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      ...(apiKey !== NO_KEY && { authorization: `Bearer ${apiKey}` }),
    };
  }
}

function release(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), RELEASE_MS);
  response.once('close', () => clearTimeout(timer));
  response.resume();
}
