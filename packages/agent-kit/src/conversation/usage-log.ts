import { isDeepStrictEqual } from 'node:util';
import { repeat } from '@session/kit';

const EACH_MS = 60_000;

export class UsageLog implements AsyncDisposable {
  readonly #read: () => object;
  readonly #log: (line: string) => void;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #logged: object;

  constructor(read: () => object, log: (line: string) => void, everyMs = EACH_MS) {
    this.#read = read;
    this.#log = log;
    this.#logged = read();
    this.#running = repeat(everyMs, this.#closing.signal, () => this.#report());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#running;
    this.#report();
  }

  #report(): void {
    const usage = this.#read();
    if (isDeepStrictEqual(usage, this.#logged)) return;
    this.#logged = { ...usage };
    this.#log(JSON.stringify({ usage }));
  }
}
