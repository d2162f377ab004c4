import { claimLease, type DatabaseAccess, releaseLease } from '@session/db';
import { repeat } from '@session/kit';
import type { Log } from '../http/log-stream.ts';
import type { ShutdownBudget } from './shutdown-budget.ts';

/** Must be equal to the time in the statement that claims the lease. */
const LEASE_MS = 15_000;
/**
 * This process stops leading this long before the lease expires, because running work must be over when another process
 * leads.
 */
const MARGIN_MS = 3000;

export interface BackgroundLeaseOptions {
  readonly database: DatabaseAccess;
  readonly name: string;
  readonly processId: string;
  readonly renewMs: number;
  readonly shutdown: ShutdownBudget;
  readonly log: Log;
}

export class BackgroundLease implements AsyncDisposable {
  readonly #options: BackgroundLeaseOptions;
  readonly #stop = new AbortController();
  readonly #run: Promise<void>;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #heldSince = Number.NEGATIVE_INFINITY;
  #onGained = () => {};

  constructor(options: BackgroundLeaseOptions) {
    this.#options = options;
    this.#run = repeat(options.renewMs, this.#stop.signal, () => this.#renew());
  }

  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  get heldSince(): number {
    return this.#heldSince;
  }

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
      log.warn({ err: error, lease: name }, 'claiming or renewing lease failed, retrying');
    }
    if (this.isHeld && !wasHeld) {
      this.#heldSince = performance.now();
      log.info({ lease: name }, 'acquired lease');
      this.#onGained();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { name, log, shutdown } = this.#options;
    this.#stop.abort();
    await shutdown.spend(this.#release()).catch((error: unknown) => {
      log.warn({ err: error, lease: name }, 'releasing lease failed');
    });
  }

  async #release(): Promise<void> {
    const { database, name, processId } = this.#options;
    await this.#run;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    await releaseLease(database, name, processId);
  }
}
