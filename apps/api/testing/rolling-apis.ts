import { vi } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';

interface Entry {
  readonly api: TestApi;
  requests: number;
}

/** Two APIs behind a balancer that sends each request to either of them, and none to an API that is about to end. */
export class RollingApis implements AsyncDisposable {
  readonly #entries: Entry[] = [];

  async start(databaseUrl: string, env: NodeJS.ProcessEnv): Promise<void> {
    for (let count = 0; count < 2; count += 1) {
      this.#entries.push({ api: await startTestApi(databaseUrl, { env }), requests: 0 });
    }
  }

  /**
   * Replaces the APIs one after another by APIs with these variables, and calls `whileMixed` when one of them is replaced. An
   * API ends when its requests have been answered.
   */
  async roll(
    databaseUrl: string,
    env: NodeJS.ProcessEnv,
    whileMixed: () => Promise<void>,
  ): Promise<void> {
    await this.#replace(databaseUrl, env);
    await whileMixed();
    await this.#replace(databaseUrl, env);
  }

  async #replace(databaseUrl: string, env: NodeJS.ProcessEnv): Promise<void> {
    const former = this.#entries.shift();
    if (!former) throw new Error('no API runs');
    await vi.waitUntil(() => former.requests === 0, { timeout: 60_000 });
    await former.api[Symbol.asyncDispose]();
    this.#entries.push({ api: await startTestApi(databaseUrl, { env }), requests: 0 });
  }

  async ask<Result>(ask: (api: TestApi) => Promise<Result>): Promise<Result> {
    const entry = this.#entries[Math.floor(Math.random() * this.#entries.length)];
    if (!entry) throw new Error('no API runs');
    return await askOne(entry, ask);
  }

  async askEach(ask: (api: TestApi) => Promise<void>): Promise<void> {
    await Promise.all(this.#entries.map((entry) => askOne(entry, ask)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { api } of this.#entries.splice(0)) await api[Symbol.asyncDispose]();
  }
}

async function askOne<Result>(
  entry: Entry,
  ask: (api: TestApi) => Promise<Result>,
): Promise<Result> {
  entry.requests += 1;
  try {
    return await ask(entry.api);
  } finally {
    entry.requests -= 1;
  }
}
