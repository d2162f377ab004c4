import * as db from '@session/db';
import { pause } from '@session/kit';
import { FollowerLoop } from '../followers/follower-loop.ts';
import { markMoved } from '../followers/follower-marking.ts';
import type { ShutdownBudget } from '../shutdown-budget.ts';
import { ClaimedSession, type SendingOptions, type WebhookTiming } from './claimed-session.ts';
import { WebhookSlots } from './webhook-slots.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const WEBHOOK_TIMING: WebhookTiming = {
  everyMs: 1000,
  gapMs: 10,
  leaseMs: MINUTE,
  waitsMs: [5000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR],
  horizonMs: 72 * HOUR,
  rest: { firstMs: 5000, longestMs: HOUR },
};

const CUT_AFTER_MS = 2000;
/**
 * A notification may name no session. Then all sessions that have changed lately are checked, but not until this long
 * after the last check.
 */
const UNNAMED_PAUSE_MS = 5000;

export interface WebhookWorkOptions
  extends Pick<SendingOptions, 'database' | 'log' | 'metrics' | 'sender' | 'vault'> {
  readonly shutdown: ShutdownBudget;
  readonly onSearchBehind?: () => void;
  readonly onSequencesBehind?: () => void;
  readonly timing?: WebhookTiming;
  readonly random?: () => number;
}

/**
 * Sends stored messages to webhooks, in order within a session, at least once, in every API process: claims sessions,
 * sends, and gives them back. All progress is in the database, so after a kill another process continues when the lease
 * has expired.
 */
export class WebhookWork implements AsyncDisposable {
  readonly #options: WebhookWorkOptions & SendingOptions;
  readonly #shutdown: ShutdownBudget;
  readonly #stop = new AbortController();
  readonly #cut = new AbortController();
  readonly #slots: WebhookSlots;
  readonly #jobs = new Set<Promise<unknown>>();
  #due = new Set<string>();
  #listedAt = -Infinity;
  #stored = new Set<string>();
  #isUnnamedStored = false;
  #isMarkingUnnamed = false;
  #hasMarkingFailed = false;
  #unnamedMarkedAt = -Infinity;
  /** Alternates, so that a new message does not wait for a long backlog, and the backlog still makes progress. */
  #first: 'newest' | 'oldest' = 'oldest';
  readonly #loop: FollowerLoop;

  constructor(options: WebhookWorkOptions) {
    const { database, random = Math.random } = options;
    this.#slots = new WebhookSlots({ database, random });
    this.#options = {
      timing: WEBHOOK_TIMING,
      ...options,
      random,
      stop: this.#stop.signal,
      cut: this.#cut.signal,
      onAnswer: (webhookId, durationMs) => this.#slots.noteTime(webhookId, durationMs),
    };
    this.#shutdown = options.shutdown;
    this.#loop = new FollowerLoop({
      ...this.#options.timing,
      look: () => this.#look(),
      stop: this.#stop.signal,
      log: options.log,
      failed: 'sending to webhooks failed, retrying',
    });
  }

  /** Sends what was stored in the named sessions. `sessionIds` is the payload of a notification. */
  stored(sessionIds: string): void {
    if (sessionIds === '') this.#isUnnamedStored = true;
    else for (const id of sessionIds.split(',')) this.#stored.add(id);
    this.#loop.wake();
  }

  async #look(): Promise<'look' | 'wait'> {
    const { database, timing } = this.#options;
    await this.#mark();
    await this.#listDue();
    const free = await this.#slots.free([...this.#due]);
    if (free.size === 0) return 'wait';
    const claimedAt = performance.now();
    this.#first = this.#first === 'oldest' ? 'newest' : 'oldest';
    const claims = await db.claimFollowers(database, free, timing.leaseMs, this.#first);
    for (const [id, most] of free) {
      const count = claims.filter(({ followerId }) => followerId === id).length;
      if (count < most) this.#due.delete(id);
    }
    if (claims.length === 0) return 'wait';
    const ids = new Set(claims.map(({ followerId }) => followerId));
    const targets = await db.listWebhookTargets(database, [...ids]);
    const targetOf = new Map(targets.map((target) => [target.id, target]));
    for (const claim of claims) this.#start(claim, targetOf.get(claim.followerId), claimedAt);
    return 'look';
  }

  async #listDue(): Promise<void> {
    const { database, timing } = this.#options;
    const now = performance.now();
    if (now - this.#listedAt < timing.everyMs) return;
    // Set before the list is read, so that a marking that ends meanwhile can request another list.
    this.#listedAt = now;
    this.#due = new Set(await db.listDueWebhooks(database));
  }

  async #mark(): Promise<void> {
    const { database, onSearchBehind, onSequencesBehind } = this.#options;
    this.#beginMarkingUnnamed();
    const stored = this.#stored;
    if (stored.size === 0) return;
    this.#stored = new Set();
    try {
      const marked = await db.markFollowers(database, [...stored]);
      if (marked.delete(db.SEARCH_FOLLOWER_ID)) onSearchBehind?.();
      if (marked.delete(db.SEQUENCE_FOLLOWER_ID)) onSequencesBehind?.();
      for (const id of marked) this.#due.add(id);
    } catch (error) {
      this.#isUnnamedStored = true;
      throw error;
    }
  }

  /**
   * Starts the marking, and does not wait for its end, because with millions of sessions deliveries would stop for
   * seconds.
   */
  #beginMarkingUnnamed(): void {
    if (!this.#isUnnamedStored || this.#isMarkingUnnamed) return;
    if (performance.now() - this.#unnamedMarkedAt <= UNNAMED_PAUSE_MS) return;
    this.#isUnnamedStored = false;
    this.#isMarkingUnnamed = true;
    const job = this.#markUnnamed().finally(() => {
      this.#jobs.delete(job);
      this.#isMarkingUnnamed = false;
      this.#unnamedMarkedAt = performance.now();
      this.#loop.wake();
    });
    this.#jobs.add(job);
  }

  async #markUnnamed(): Promise<void> {
    const { database, log, onSearchBehind, onSequencesBehind } = this.#options;
    try {
      await markMoved(database, this.#stop.signal);
      this.#hasMarkingFailed = false;
      this.#listedAt = -Infinity;
      onSearchBehind?.();
      onSequencesBehind?.();
    } catch (error) {
      this.#isUnnamedStored = true;
      // Logged once, because every attempt fails while the database is away.
      if (!this.#hasMarkingFailed) {
        log.warn({ err: error }, 'looking for stored messages failed, retrying');
      }
      this.#hasMarkingFailed = true;
    }
  }

  #start(claim: db.FollowerClaim, target: db.WebhookTarget | undefined, claimedAt: number): void {
    const { followerId } = claim;
    const { database, log } = this.#options;
    this.#slots.take(followerId);
    const sent: Promise<unknown> = target
      ? new ClaimedSession(this.#options, claim, target, claimedAt).send()
      : db.advanceFollower(database, claim, claim.position, 0);
    const job = sent
      .catch((error: unknown) => {
        // The lease expires, and the session is claimed again.
        const { sessionId } = claim;
        log.warn(
          { err: error, webhook: followerId, sessionId },
          'sending to webhook failed, retrying',
        );
      })
      .finally(() => {
        this.#jobs.delete(job);
        this.#due.add(followerId);
        this.#slots.giveBack(followerId);
        this.#loop.wake();
      });
    this.#jobs.add(job);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const end = this.#loop.ended.then(() => Promise.all(this.#jobs));
    const ended = new AbortController();
    void end.then(() => ended.abort());
    // A request that is cut is sent again, although its receiver may have taken it.
    await pause(CUT_AFTER_MS, ended.signal);
    this.#cut.abort();
    await this.#shutdown.spend(end).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'sending to webhooks not finished at shutdown');
    });
  }
}
