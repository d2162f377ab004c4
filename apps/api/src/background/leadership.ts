import type { LeaseQueries } from '@session/db';
import { repeat } from '@session/kit';
import type { FastifyBaseLogger } from 'fastify';
import type { ShutdownBudget } from './shutdown-budget.ts';

/** How long a lease lasts. The statement that claims it has the same number. */
const LEASE_MS = 15_000;
/** The leadership ends this much before the lease: work that is under way must be over when another process leads. */
const MARGIN_MS = 3000;

export interface LeadershipOptions {
  readonly leases: LeaseQueries;
  /** The name of the lease: of the work that one process at a time does. */
  readonly name: string;
  /** The UUID of this process. */
  readonly holder: string;
  readonly renewMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  /** For the release of the lease. A lease that cannot be released expires by itself. */
  readonly shutdown: Pick<ShutdownBudget, 'spend'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
}

/** Holds a lease while the database answers, and releases the lease on disposal. */
export class Leadership implements AsyncDisposable {
  readonly #options: LeadershipOptions;
  readonly #stop = new AbortController();
  readonly #run: Promise<void>;
  readonly #now: () => number;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #onGained = () => {};

  constructor(options: LeadershipOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#run = repeat(options.renewMs, this.#stop.signal, () => this.#renew());
  }

  get isHeld(): boolean {
    return this.#now() < this.#heldUntil;
  }

  /** Calls `listener` each time that this process begins to lead. */
  onGained(listener: () => void): void {
    this.#onGained = listener;
  }

  async #renew(): Promise<void> {
    const { leases, name, holder, log } = this.#options;
    const wasHeld = this.isHeld;
    const began = this.#now();
    try {
      const fence = await leases.claimLease(name, holder);
      this.#heldUntil =
        fence === undefined ? Number.NEGATIVE_INFINITY : began + LEASE_MS - MARGIN_MS;
    } catch (error) {
      log.warn({ err: error, lease: name }, 'the lease cannot be renewed');
    }
    if (this.isHeld && !wasHeld) {
      log.info({ lease: name }, 'this process leads');
      this.#onGained();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { name, log, shutdown } = this.#options;
    this.#stop.abort();
    await shutdown.spend(this.#release()).catch((error: unknown) => {
      log.warn({ err: error, lease: name }, 'the lease cannot be released');
    });
  }

  async #release(): Promise<void> {
    const { leases, name, holder } = this.#options;
    await this.#run;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    await leases.releaseLease(name, holder);
  }
}
