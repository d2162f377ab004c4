import * as db from '@session/db';
import type { Log } from '../../http/log-stream.ts';
import { FollowerLoop } from '../followers/follower-loop.ts';
import type { ShutdownBudget } from '../shutdown-budget.ts';

export interface SearchTiming {
  readonly everyMs: number;
  readonly gapMs: number;
  /** Longer than a fill may take, because another process takes the sessions when the lease ends. */
  readonly leaseMs: number;
}

/** The gap bounds how often a session is filled: a few times a second, however many messages it gets. */
const SEARCH_TIMING: SearchTiming = { everyMs: 1000, gapMs: 200, leaseMs: 60_000 };

export interface SearchWorkOptions {
  readonly database: db.DatabaseAccess;
  readonly log: Log;
  readonly shutdown: ShutdownBudget;
  readonly timing?: SearchTiming;
}

/**
 * Fills the search index, in every API process: claims sessions, and indexes their new messages in one statement that
 * also advances their positions. So a process may be killed at any moment.
 */
export class SearchWork implements AsyncDisposable {
  readonly #options: SearchWorkOptions;
  readonly #timing: SearchTiming;
  readonly #stop = new AbortController();
  readonly #loop: FollowerLoop;
  #claims: readonly db.SessionClaim[] = [];

  constructor(options: SearchWorkOptions) {
    this.#options = options;
    this.#timing = options.timing ?? SEARCH_TIMING;
    this.#loop = new FollowerLoop({
      ...this.#timing,
      look: () => this.#look(),
      stop: this.#stop.signal,
      log: options.log,
      failed: 'filling search index failed, retrying',
    });
  }

  wake(): void {
    this.#loop.wake();
  }

  async #look(): Promise<'look' | 'wait'> {
    const { database } = this.#options;
    if (this.#claims.length === 0) {
      this.#claims = await db.claimSearchSessions(database, this.#timing.leaseMs);
    }
    const isFilling = this.#claims.length > 0;
    if (isFilling) await this.#fill(this.#claims);
    this.#claims = [];
    const setBack = await db.reindexSessions(database);
    return isFilling || setBack !== undefined ? 'look' : 'wait';
  }

  async #fill(claims: readonly db.SessionClaim[]): Promise<void> {
    const { database, log } = this.#options;
    try {
      await db.fillSearchIndex(database, claims);
    } catch (error) {
      if (db.classOfError(error) === 'away') throw error;
      const [claim, ...others] = claims;
      if (claim && others.length === 0) {
        const { sessionId } = claim;
        log.warn({ err: error, sessionId }, 'indexing session for search failed, retrying later');
        await db.postponeSearchSession(database, claim, String(error).slice(0, 500));
        return;
      }
      // A session that fails does not delay the others.
      for (const one of claims) await this.#fill([one]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#options.shutdown.spend(this.#loop.ended).catch((error: unknown) => {
      this.#options.log.warn(
        { err: error },
        'indexing for search not finished at shutdown; it continues later',
      );
    });
  }
}
