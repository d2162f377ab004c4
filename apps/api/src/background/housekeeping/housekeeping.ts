import { repeat } from '@session/kit';
import type { FastifyBaseLogger } from 'fastify';
import type { ShutdownBudget } from '../shutdown-budget.ts';

/** Something that belongs to no request and is to be done again and again. It gives what it did, for the log. */
type Chore = () => Promise<readonly string[]>;

export interface HousekeepingOptions {
  /** By their names in the log. */
  readonly chores: Readonly<Record<string, Chore>>;
  /** Whether this process is the one that keeps house. */
  readonly isLeading: () => boolean;
  readonly everyMs?: number;
  readonly shutdown: Pick<ShutdownBudget, 'spend'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
}

/** Does the chores, every second by default, while this process leads; its disposal waits for those under way. */
export class Housekeeping implements AsyncDisposable {
  readonly #options: HousekeepingOptions;
  readonly #stop = new AbortController();
  readonly #failing = new Set<string>();
  readonly #runs: Promise<void>[];

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    const { chores, everyMs = 1000 } = options;
    this.#runs = Object.entries(chores).map(([name, chore]) =>
      repeat(everyMs, this.#stop.signal, () => this.#do(name, chore)),
    );
  }

  async #do(name: string, chore: Chore): Promise<void> {
    const { isLeading, log } = this.#options;
    if (!isLeading()) return;
    try {
      const done = await chore();
      if (done.length > 0) log.info({ chore: name, done }, 'housekeeping');
      this.#failing.delete(name);
    } catch (error) {
      // What is away for an hour is worth one line.
      if (!this.#failing.has(name)) log.warn({ chore: name, err: error }, 'housekeeping waits');
      this.#failing.add(name);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const { chores, log, shutdown } = this.#options;
    await shutdown.spend(Promise.all(this.#runs)).catch((error: unknown) => {
      log.warn({ err: error, chores: Object.keys(chores) }, 'housekeeping is left undone');
    });
  }
}
