import type { LeaseQueries } from '@session/db';
import { repeat } from '@session/kit';
import type { FastifyBaseLogger } from 'fastify';
import type { ShutdownBudget } from './shutdown-budget.ts';

/** As the lease's statement has it. */
const LEASE_MS = 15_000;
/** So much earlier we stop believing in it: what is under way must be over when another one leads. */
const MARGIN_MS = 3000;

export interface LeadershipOptions {
  readonly leases: LeaseQueries;
  /** The duty that one process at a time does. */
  readonly name: string;
  /** A UUID: who we are. */
  readonly holder: string;
  readonly renewMs: number;
  /** A clock that only goes forward, in milliseconds. */
  readonly now?: () => number;
  /** A lease that a silent database does not take back runs out by itself. */
  readonly shutdown: Pick<ShutdownBudget, 'spend'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
}

/** Keeps a lease for as long as it lives and the database lets it; gives it back on disposal. */
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

  /** Calls `listener` each time that we begin to lead. */
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
      log.info({ lease: name }, 'leads');
      this.#onGained();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { name, log, shutdown } = this.#options;
    this.#stop.abort();
    await shutdown.spend(this.#giveBack()).catch((error: unknown) => {
      log.warn({ err: error, lease: name }, 'the lease cannot be given back');
    });
  }

  async #giveBack(): Promise<void> {
    const { leases, name, holder } = this.#options;
    await this.#run;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    await leases.releaseLease(name, holder);
  }
}
