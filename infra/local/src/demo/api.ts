import { Problem } from '@session/contract';
import { StartError } from '@session/kit';
import type * as z from 'zod';

const TIMEOUT_MS = 10_000;

/** A client of the service's API. A call that fails throws a StartError that says how. */
export class DemoApi {
  readonly #url: string;
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends `token` with each request from now on. */
  authenticate(token: string): void {
    this.#token = token;
  }

  async get<Shape extends z.ZodType>(path: string, shape: Shape): Promise<z.output<Shape>> {
    return await this.#ask(shape, path, { method: 'GET' });
  }

  async post<Shape extends z.ZodType>(
    path: string,
    body: object,
    shape: Shape,
  ): Promise<z.output<Shape>> {
    const headers = { 'content-type': 'application/json' };
    return await this.#ask(shape, path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async delete<Shape extends z.ZodType>(path: string, shape: Shape): Promise<z.output<Shape>> {
    return await this.#ask(shape, path, { method: 'DELETE' });
  }

  async #ask<Shape extends z.ZodType>(
    shape: Shape,
    path: string,
    request: { method: string; headers?: Record<string, string>; body?: string },
  ): Promise<z.output<Shape>> {
    const call = `${request.method} ${path}`;
    const headers = { ...request.headers, authorization: `Bearer ${this.#token}` };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let status: number;
    let answer: unknown;
    try {
      const response = await fetch(`${this.#url}${path}`, { ...request, headers, signal });
      status = response.status;
      answer = await response.json();
    } catch (cause) {
      throw new StartError(`${call}: no answer from the API at ${this.#url}.`, { cause });
    }
    const success = shape.safeParse(answer);
    if (status < 300 && success.success) return success.data;
    const problem = Problem.safeParse(answer).data;
    const reason = problem ? `${problem.code}, ${problem.detail ?? problem.title}` : 'unknown';
    throw new StartError(`${call} answered ${status}: ${reason}`);
  }
}
