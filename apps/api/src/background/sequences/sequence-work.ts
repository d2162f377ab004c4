import { missingMessages } from '@session/contract/room';
import * as db from '@session/db';
import type { RoomService } from '@session/media/server';
import type { Log } from '../../http/log-stream.ts';
import { FollowerLoop } from '../followers/follower-loop.ts';
import type { ShutdownBudget } from '../shutdown-budget.ts';

export interface SequenceTiming {
  readonly everyMs: number;
  readonly gapMs: number;
  readonly leaseMs: number;
  readonly firstMs: number;
  readonly againMs: number;
  /** The wait after the third request: longer than an open text takes to be stored. */
  readonly lastMs: number;
}

const SEQUENCE_TIMING: SequenceTiming = {
  everyMs: 1000,
  gapMs: 200,
  leaseMs: 60_000,
  firstMs: 3000,
  againMs: 8000,
  lastMs: 21_000,
};

/** Senders keep no more messages than this. */
const MOST_ASKED = 200;

export interface SequenceWorkOptions {
  readonly database: db.DatabaseAccess;
  readonly rooms: Pick<RoomService, 'askAgain'>;
  readonly storedNotifier: { readonly notify: (sessionIds: readonly string[]) => void };
  readonly metrics: {
    readonly resendRequests: { readonly inc: () => void };
    readonly missingMessages: { readonly inc: (count: number) => void };
  };
  readonly log: Log;
  readonly shutdown: ShutdownBudget;
  readonly now: () => number;
  readonly timing?: SequenceTiming;
}

/**
 * Finds messages that never arrived, by their numbers, asks the senders for them, and reports those that still do not
 * arrive. Runs in every API process; all progress is in the database.
 */
export class SequenceWork implements AsyncDisposable {
  readonly #options: SequenceWorkOptions;
  readonly #timing: SequenceTiming;
  readonly #stop = new AbortController();
  readonly #folding: FollowerLoop;
  readonly #asking: FollowerLoop;

  constructor(options: SequenceWorkOptions) {
    this.#options = options;
    this.#timing = options.timing ?? SEQUENCE_TIMING;
    const loop = { ...this.#timing, stop: this.#stop.signal, log: options.log };
    this.#folding = new FollowerLoop({
      ...loop,
      look: () => this.#fold(),
      failed: 'reading sequence numbers failed, retrying',
    });
    this.#asking = new FollowerLoop({
      ...loop,
      look: () => this.#ask(),
      failed: 'asking for missing messages failed, retrying',
    });
  }

  wake(): void {
    this.#folding.wake();
  }

  async #fold(): Promise<'look' | 'more' | 'wait'> {
    const { database } = this.#options;
    const claims = await db.claimSequenceSessions(database, this.#timing.leaseMs);
    if (claims.length === 0) return 'wait';
    try {
      await db.foldSequences(database, claims, this.#timing.firstMs);
    } catch (error) {
      if (db.classOfError(error) === 'away') throw error;
      await this.#foldEach(claims);
    }
    return claims.length === db.MOST_SESSION_CLAIMS ? 'more' : 'look';
  }

  /** A session that fails does not delay the others. It is read again when its lease expires. */
  async #foldEach(claims: readonly db.SessionClaim[]): Promise<void> {
    const failures: Error[] = [];
    for (const claim of claims) {
      try {
        await db.foldSequences(this.#options.database, [claim], this.#timing.firstMs);
      } catch (error) {
        if (db.classOfError(error) === 'away') throw error;
        failures.push(
          new Error(`reading numbers of session ${claim.sessionId} failed`, { cause: error }),
        );
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'reading sequence numbers failed');
  }

  async #ask(): Promise<'look' | 'wait'> {
    const taken = await db.takeMissingNumbers(this.#options.database, this.#timing);
    if (taken.length === 0) return 'wait';
    await Promise.all(
      taken.map((one) => (one.lost.length > 0 ? this.#declare(one) : this.#askSender(one))),
    );
    return 'look';
  }

  /** Ignores a failure: only a stored message is an answer. */
  async #askSender({ sessionId, identity, isActive, q, missing }: db.MissingNumbers) {
    if (identity === null || !isActive) return;
    const { rooms, metrics } = this.#options;
    metrics.resendRequests.inc();
    await rooms.askAgain(sessionId, identity, q, newestOf(missing)).catch(() => {});
  }

  async #declare(taken: db.MissingNumbers): Promise<void> {
    const { database, log, metrics, now, storedNotifier } = this.#options;
    const { sessionId, sender: identity, q, lost: missing, from, to } = taken;
    const gap = missingMessages({ sessionId, identity, q, missing, from, to }, now());
    const { stored } = await db.appendMessages(database, [gap]);
    if (stored > 0) {
      const { count = 0 } = gap.metadata;
      storedNotifier.notify([sessionId]);
      metrics.missingMessages.inc(count);
      log.warn({ sessionId, identity, count }, 'messages of sender never arrived');
    }
    // If this process is killed before this statement, another process reports the same gap again, under the same id.
    await db.declareMissingNumbers(database, taken, this.#timing.firstMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const ended = Promise.all([this.#folding.ended, this.#asking.ended]);
    await this.#options.shutdown.spend(ended).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'work on sequence numbers not finished at shutdown');
    });
  }
}

function newestOf(missing: db.MissingNumbers['missing']): number[] {
  const newest: number[] = [];
  for (const [first, last] of missing.toReversed()) {
    for (let n = last; n >= first && newest.length < MOST_ASKED; n -= 1) newest.push(n);
  }
  return newest.toReversed();
}
