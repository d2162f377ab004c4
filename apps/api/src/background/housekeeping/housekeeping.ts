import { repeat } from '@session/kit';
import type { Log } from '../../http/log-stream.ts';
import type { ShutdownBudget } from '../shutdown-budget.ts';

const MOST_LOGGED = 50;

/** `stop` aborts when this process ends, because the shutdown waits only briefly for the chore. */
type Chore = (stop: AbortSignal) => Promise<readonly string[]>;

export type Chores = Readonly<Record<string, Chore>>;

export interface HousekeepingOptions {
  readonly chores: Chores;
  readonly everyMs: number;
  readonly isLeading: () => boolean;
  readonly shutdown: ShutdownBudget;
  readonly log: Log;
}

export class Housekeeping implements AsyncDisposable {
  readonly #options: HousekeepingOptions;
  readonly #stop = new AbortController();
  readonly #failing = new Set<string>();
  readonly #runs: Promise<void>[];

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    this.#runs = Object.entries(options.chores).map(([name, chore]) =>
      repeat(options.everyMs, this.#stop.signal, () => this.#do(name, chore)),
    );
  }

  async #do(name: string, chore: Chore): Promise<void> {
    const { isLeading, log } = this.#options;
    if (!isLeading()) return;
    try {
      const done = await chore(this.#stop.signal);
      if (done.length > 0) {
        const counted = { chore: name, count: done.length, done: done.slice(0, MOST_LOGGED) };
        log.info(counted, 'housekeeping done');
      }
      this.#failing.delete(name);
    } catch (error) {
      // Logged once until the chore succeeds again.
      if (!this.#failing.has(name)) {
        log.warn({ chore: name, err: error }, 'housekeeping failed, retrying');
      }
      this.#failing.add(name);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const { chores, log, shutdown } = this.#options;
    await shutdown.spend(Promise.all(this.#runs)).catch((error: unknown) => {
      log.warn(
        { err: error, chores: Object.keys(chores) },
        'housekeeping not finished at shutdown',
      );
    });
  }
}
