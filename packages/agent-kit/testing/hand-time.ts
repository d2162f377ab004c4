import { once } from 'node:events';
import type { Time } from '../src/conversation/time.ts';

/** Time that passes only when a test says so. */
export class HandTime implements Time {
  #now = 0;
  #passed = Promise.withResolvers<void>();

  readonly now = (): number => this.#now;

  readonly pause: Time['pause'] = async (delayMs, signal) => {
    const endsAt = this.#now + delayMs;
    while (this.#now < endsAt && !signal.aborted) {
      await Promise.race([this.#passed.promise, once(signal, 'abort')]);
    }
    return !signal.aborted;
  };

  advance(ms: number): void {
    this.#now += ms;
    this.#passed.resolve();
    this.#passed = Promise.withResolvers();
  }
}
