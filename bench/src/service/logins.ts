import { randomUUID } from 'node:crypto';
import { createClient } from '@session/client';
import { pause } from '@session/kit';
import { Latencies } from '../measure/figures.ts';
import { codeOfFailure, type Failures } from './figures.ts';

/** Logs in at fixed times, whether or not the last login was answered. Disposal waits for the last answers. */
export class Logins implements AsyncDisposable {
  readonly latencies = new Latencies();
  readonly #failures: Record<string, number> = {};
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  private constructor(logIn: () => Promise<unknown>, everyMs: number) {
    this.#running = this.#run(logIn, everyMs);
  }

  static async begin(baseUrl: string, everyMs: number): Promise<Logins> {
    const client = createClient({ baseUrl });
    const account = { email: `bench-${randomUUID()}@example.com`, password: randomUUID() };
    await client.auth.signUp({ ...account, name: 'Bench' });
    return new Logins(() => client.auth.logIn(account), everyMs);
  }

  get failures(): Failures {
    return this.#failures;
  }

  end(): void {
    this.#ending.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.#running;
  }

  async #run(logIn: () => Promise<unknown>, everyMs: number): Promise<void> {
    const running = new Set<Promise<void>>();
    while (await pause(everyMs, this.#ending.signal)) {
      const login = this.#time(logIn);
      running.add(login);
      void login.then(() => running.delete(login));
    }
    await Promise.all(running);
  }

  async #time(logIn: () => Promise<unknown>): Promise<void> {
    const began = performance.now();
    try {
      await logIn();
      this.latencies.add(performance.now() - began);
    } catch (error) {
      const code = codeOfFailure(error);
      this.#failures[code] = (this.#failures[code] ?? 0) + 1;
    }
  }
}
