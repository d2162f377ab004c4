import { claimLease, type DatabaseAccess, releaseLease } from '@session/db';
import { repeat } from '@session/kit';
import type { FastifyBaseLogger } from 'fastify';
import type { ShutdownBudget } from './shutdown-budget.ts';

/** How long a lease lasts. The statement that claims it has the same number. */
const LEASE_MS = 15_000;
/** This process stops leading this much before the lease expires: work under way must be over when another process leads. */
const MARGIN_MS = 3000;

export interface BackgroundLeaseOptions {
  readonly database: DatabaseAccess;
  /** The name of the lease: of the work that one process at a time does. */
  readonly name: string;
  /** The UUID of this API process: the holder of the lease. */
  readonly processId: string;
  readonly renewMs: number;
  /** For the release of the lease. A lease that cannot be released expires by itself. */
  readonly shutdown: Pick<ShutdownBudget, 'spend'>;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn'>;
}

/** The lease of the background work: held while the database answers, and released on disposal. The holder leads. */
export class BackgroundLease implements AsyncDisposable {
  readonly #options: BackgroundLeaseOptions;
  readonly #stop = new AbortController();
  readonly #run: Promise<void>;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #onGained = () => {};

  constructor(options: BackgroundLeaseOptions) {
    this.#options = options;
    this.#run = repeat(options.renewMs, this.#stop.signal, () => this.#renew());
  }

  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** Calls `listener` each time that this process begins to lead. */
  onGained(listener: () => void): void {
    this.#onGained = listener;
  }

  async #renew(): Promise<void> {
    const { database, name, processId, log } = this.#options;
    const wasHeld = this.isHeld;
    const began = performance.now();
    try {
      const fence = await claimLease(database, name, processId);
      this.#heldUntil =
        fence === undefined ? Number.NEGATIVE_INFINITY : began + LEASE_MS - MARGIN_MS;
    } catch (error) {
      log.warn({ err: error, lease: name }, 'renewing the lease failed');
    }
    if (this.isHeld && !wasHeld) {
      log.info({ lease: name }, 'started to lead');
      this.#onGained();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { name, log, shutdown } = this.#options;
    this.#stop.abort();
    await shutdown.spend(this.#release()).catch((error: unknown) => {
      log.warn({ err: error, lease: name }, 'releasing the lease failed');
    });
  }

  async #release(): Promise<void> {
    const { database, name, processId } = this.#options;
    await this.#run;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    await releaseLease(database, name, processId);
  }
}
