import type { LatestMessages } from '../shapes.ts';
import type { LatestAsk } from './asks.ts';

/** `since` for an empty history. This client's clock is no use here: timestamps come from another machine. */
const EPOCH = '1970-01-01T00:00:00.000Z';

/** How far the history was read, and whether rows may be missing since the room was lost. */
export class CatchUp {
  /** The only value ever sent as `since`. Every row that was stored or changed up to this time has arrived. */
  #since: string | undefined;
  #losses = 0;
  #isBehind = true;

  /** Whether the first page has arrived. */
  get hasBegun(): boolean {
    return this.#since !== undefined;
  }

  /** Whether rows may be missing. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Begins with the timestamp of the newest row; undefined for an empty history. */
  begin(newest: string | undefined): void {
    this.#since = newest ?? EPOCH;
  }

  /** Returns the request for what is new, or undefined before the first page. */
  ask(): LatestAsk | undefined {
    if (this.#since === undefined) return undefined;
    return { since: this.#since, losses: this.#losses };
  }

  /** Moves on by the answer to `asked`. Returns whether no row is missing any more, and one may have been before. */
  advance(
    asked: LatestAsk,
    { nextSince, hasMore }: Pick<LatestMessages, 'nextSince' | 'hasMore'>,
  ): boolean {
    // An answer that starts after `since` leaves out the rows between the two.
    if (this.#since === undefined || asked.since > this.#since) return false;
    if (nextSince > this.#since) this.#since = nextSince;
    if (hasMore || asked.losses !== this.#losses || !this.#isBehind) return false;
    this.#isBehind = false;
    return true;
  }

  /** Rows may be missing until the answer to a later `ask`. */
  fallBehind(): void {
    this.#losses += 1;
    this.#isBehind = true;
  }

  /** Starts again before the first page. */
  reset(): void {
    this.fallBehind();
    this.#since = undefined;
  }
}
