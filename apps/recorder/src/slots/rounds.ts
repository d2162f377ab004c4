import { EventEmitter, once } from 'node:events';
import { pause } from '@session/kit';
import type { DatabaseWatch } from './database-watch.ts';

interface RoundsDeps {
  readonly round: () => Promise<void>;
  readonly pollMs: () => number;
  readonly awayMs: number;
  readonly database: DatabaseWatch;
  readonly ending: AbortSignal;
}

/** Runs rounds, never two at a time. The next one begins when it is woken, otherwise after a pause. */
export class Rounds {
  readonly #deps: RoundsDeps;
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #running: Promise<void>;
  #waking = new AbortController();
  #begun = 0;
  #done = 0;

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
    this.#running = this.#run();
  }

  wake(): void {
    this.#waking.abort();
  }

  async done(signal: AbortSignal): Promise<void> {
    await once(this.#events, 'done', { signal }).catch(() => {});
  }

  /** Resolves when a round that began after this call is done, even if it failed, or when the rounds end. */
  async verify(): Promise<void> {
    const { ending } = this.#deps;
    const target = this.#begun + 1;
    this.wake();
    while (this.#done < target && !ending.aborted) await this.done(ending);
  }

  async ended(): Promise<void> {
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { round, pollMs, awayMs, database, ending } = this.#deps;
    // Not at once, because the code of the round may still be under construction.
    await Promise.resolve();
    while (!ending.aborted) {
      this.#waking = new AbortController();
      this.#begun += 1;
      try {
        await round();
        database.succeeded();
      } catch (error) {
        database.failed(error);
      }
      this.#done = this.#begun;
      this.#events.emit('done');
      if (!database.isOk) await pause(awayMs, ending);
      await pause(pollMs(), this.#waking.signal);
    }
  }
}
