import { randomUUID } from 'node:crypto';
import { Login, Message, pageOf, Session } from '@session/contract';
import { pause } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod';

const Created = z.object({ id: z.string() });
const Page = pageOf(Message);
const RETRY_MS = 200;
const ANSWER_TIMEOUT_MS = 10_000;

/** The API as a client with retries uses it: it repeats a request that got a 5xx or no answer. */
export class ServiceApi {
  readonly #url: string;
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Signs up, creates `count` sessions and returns their ids. */
  async openSessions(count: number, signal: AbortSignal): Promise<string[]> {
    const account = {
      email: `chaos-${randomUUID()}@example.com`,
      password: randomUUID(),
      name: 'C',
    };
    this.#token = (await this.#post('/auth/signup', account, Login, signal)).token;
    const project = await this.#post('/projects', { name: 'Chaos' }, Created, signal);
    const path = `/projects/${project.id}/sessions`;
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.push((await this.#post(path, { name: `${index}` }, Created, signal)).id);
    }
    return ids;
  }

  async session(id: string, signal: AbortSignal): Promise<Session> {
    return await this.#ask(`/sessions/${id}`, {}, Session, signal);
  }

  async closeSession(id: string, signal: AbortSignal): Promise<void> {
    await this.#post(`/sessions/${id}/close`, {}, Session, signal);
  }

  /** Sends a message, with retries, and returns its id once the API has accepted it. */
  async say(sessionId: string, content: string, signal: AbortSignal): Promise<string> {
    const body = { id: uuidv7(), content };
    return (await this.#post(`/sessions/${sessionId}/messages`, body, Message, signal)).id;
  }

  /** Returns the whole history, oldest first. */
  async history(sessionId: string, signal: AbortSignal): Promise<Message[]> {
    const newestFirst: Message[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const path = `/sessions/${sessionId}/messages?limit=100${query}`;
      const page: z.output<typeof Page> = await this.#ask(path, {}, Page, signal);
      newestFirst.push(...page.items);
      cursor = page.nextCursor;
    }
    return newestFirst.toReversed();
  }

  async #post<Shape extends z.ZodType>(
    path: string,
    body: object,
    shape: Shape,
    signal: AbortSignal,
  ): Promise<z.output<Shape>> {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    return await this.#ask(path, request, shape, signal);
  }

  async #ask<Shape extends z.ZodType>(
    path: string,
    request: { readonly headers?: Record<string, string>; method?: string; body?: string },
    shape: Shape,
    signal: AbortSignal,
  ): Promise<z.output<Shape>> {
    const headers = { ...request.headers, authorization: `Bearer ${this.#token}` };
    for (;;) {
      signal.throwIfAborted();
      const waiting = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
      const answer = await fetch(`${this.#url}${path}`, {
        ...request,
        headers,
        signal: waiting,
      }).catch(() => undefined);
      if (answer && answer.status < 500) {
        const body: unknown = await answer.json();
        if (answer.ok) return shape.parse(body);
        throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(body)}`);
      }
      await pause(RETRY_MS, signal);
    }
  }
}
