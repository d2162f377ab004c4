import type { LatestMessages } from '../shapes.ts';

/** `since` for an empty history. This client's clock cannot be used, because timestamps come from another machine. */
const EPOCH = '1970-01-01T00:00:00.000Z';

export interface LatestAsk {
  readonly since: string;
  readonly losses: number;
}

export class CatchUp {
  /** The `since` of the next request for news. Every row that was stored or changed up to this time has arrived. */
  #since: string | undefined;
  #losses = 0;
  #catchingUp = true;

  get hasBegun(): boolean {
    return this.#since !== undefined;
  }

  get catchingUp(): boolean {
    return this.#catchingUp;
  }

  first(newest: string | undefined): void {
    this.#since = newest ?? EPOCH;
  }

  ask(): LatestAsk | undefined {
    if (this.#since === undefined) return undefined;
    return { since: this.#since, losses: this.#losses };
  }

  /** Moves on with the answer to `asked`. Returns true when this answer ended a time in which rows may have been missing. */
  latest(
    asked: LatestAsk,
    { nextSince, hasMore }: Pick<LatestMessages, 'nextSince' | 'hasMore'>,
  ): boolean {
    // An answer that starts after `since` misses the rows between the two.
    if (this.#since === undefined || asked.since > this.#since) return false;
    if (nextSince > this.#since) this.#since = nextSince;
    if (hasMore || asked.losses !== this.#losses || !this.#catchingUp) return false;
    this.#catchingUp = false;
    return true;
  }

  roomLost(): void {
    this.#losses += 1;
    this.#catchingUp = true;
  }

  reset(): void {
    this.roomLost();
    this.#since = undefined;
  }
}
