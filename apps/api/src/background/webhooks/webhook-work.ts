import * as db from '@session/db';
import { pause } from '@session/kit';
import { NIL } from 'uuid';
import { FollowerLoop } from '../followers/follower-loop.ts';
import type { ShutdownBudget } from '../shutdown-budget.ts';
import { ClaimedSession, type SendingOptions, type WebhookTiming } from './claimed-session.ts';

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

/** The most sessions that this process sends at the same time: to one webhook, to one that answers slowly, and to all. */
const SESSIONS_OF_ONE = 8;
const SESSIONS_OF_SLOW = 2;
const SESSIONS = 64;
/** For all webhooks together that answer slowly: the rest is left to the others. */
const SESSIONS_OF_ALL_SLOW = SESSIONS / 2;
const SLOW_MS = 2000;
const KNOWN_TIMES = 10_000;
/** How long a request may go on when this process shuts down. */
const CUT_AFTER_MS = 2000;
const HEADS_AT_ONCE = 5000;
/** A notification may name no session. Then all sessions are checked, but not more often than this. */
const ALL_HEADS_MS = 5000;

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
 * sends, and gives them back. All progress is in the database: after a kill another process goes on when the lease has
 * expired.
 */
export class WebhookWork implements AsyncDisposable {
  readonly #options: WebhookWorkOptions & SendingOptions;
  readonly #shutdown: ShutdownBudget;
  readonly #stop = new AbortController();
  readonly #cut = new AbortController();
  readonly #sending = new Map<string, number>();
  readonly #averageMs = new Map<string, number>();
  readonly #jobs = new Set<Promise<unknown>>();
  #due = new Set<string>();
  #listedAt = -Infinity;
  #stored = new Set<string>();
  #isAllStored = false;
  #lookedAtAllAt = -Infinity;
  /** Alternates, so that a new message does not wait for a long backlog, and the backlog still makes progress. */
  #first: 'newest' | 'oldest' = 'oldest';
  readonly #loop: FollowerLoop;

  constructor(options: WebhookWorkOptions) {
    this.#options = {
      timing: WEBHOOK_TIMING,
      random: Math.random,
      ...options,
      stop: this.#stop.signal,
      cut: this.#cut.signal,
      onAnswer: (webhookId, durationMs) => this.#noteTime(webhookId, durationMs),
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

  /** Sends what was stored in these sessions: `sessionIds` is the payload of a notification. */
  stored(sessionIds: string): void {
    if (sessionIds === '') this.#isAllStored = true;
    else for (const id of sessionIds.split(',')) this.#stored.add(id);
    this.#loop.wake();
  }

  async #look(): Promise<'look' | 'wait'> {
    const { database, timing } = this.#options;
    await this.#mark();
    await this.#listDue();
    const free = this.#free([...this.#due]);
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
    this.#due = new Set(await db.listDueWebhooks(database));
    this.#listedAt = now;
  }

  async #mark(): Promise<void> {
    const { database, onSearchBehind, onSequencesBehind } = this.#options;
    if (this.#isAllStored && performance.now() - this.#lookedAtAllAt > ALL_HEADS_MS) {
      this.#isAllStored = false;
      this.#lookedAtAllAt = performance.now();
      await markAll(database);
      this.#listedAt = -Infinity;
      onSearchBehind?.();
      onSequencesBehind?.();
    }
    const stored = this.#stored;
    if (stored.size === 0) return;
    this.#stored = new Set();
    try {
      const marked = await db.markFollowers(database, [...stored]);
      if (marked.delete(db.SEARCH_FOLLOWER_ID)) onSearchBehind?.();
      if (marked.delete(db.SEQUENCE_FOLLOWER_ID)) onSequencesBehind?.();
      for (const id of marked) this.#due.add(id);
    } catch (error) {
      this.#isAllStored = true;
      throw error;
    }
  }

  /** Returns how many more sessions this process takes for each webhook: an equal share. */
  #free(ids: readonly string[]): Map<string, number> {
    const { random } = this.#options;
    const left = SESSIONS - this.#jobs.size;
    const part = Math.max(1, Math.floor(left / ids.length));
    const free = new Map<string, number>();
    let leftToSlow = SESSIONS_OF_ALL_SLOW;
    for (const [id, count] of this.#sending) if (this.#isSlow(id)) leftToSlow -= count;
    // Begins with another webhook each time: there may be more of them than this process takes.
    const first = Math.floor(random() * ids.length);
    for (const id of [...ids.slice(first), ...ids.slice(0, first)]) {
      if (free.size >= left) break;
      const isSlow = this.#isSlow(id);
      const most = isSlow ? SESSIONS_OF_SLOW : SESSIONS_OF_ONE;
      const wanted = Math.min(part, most - (this.#sending.get(id) ?? 0));
      const count = isSlow ? Math.min(wanted, leftToSlow) : wanted;
      if (count <= 0) continue;
      free.set(id, count);
      if (isSlow) leftToSlow -= count;
    }
    return free;
  }

  #isSlow(webhookId: string): boolean {
    return (this.#averageMs.get(webhookId) ?? 0) > SLOW_MS;
  }

  #start(claim: db.FollowerClaim, target: db.WebhookTarget | undefined, claimedAt: number): void {
    const { followerId } = claim;
    const { database, log } = this.#options;
    this.#sending.set(followerId, (this.#sending.get(followerId) ?? 0) + 1);
    const sent: Promise<unknown> = target
      ? new ClaimedSession(this.#options, claim, target, claimedAt).send()
      : db.advanceFollower(database, claim, claim.position, 0);
    const job = sent
      .catch((error: unknown) => {
        // The lease expires, and the session is claimed again.
        const { sessionId } = claim;
        log.warn({ err: error, webhook: followerId, sessionId }, 'sending to a webhook failed');
      })
      .finally(() => {
        this.#jobs.delete(job);
        this.#due.add(followerId);
        const left = (this.#sending.get(followerId) ?? 1) - 1;
        if (left === 0) this.#sending.delete(followerId);
        else this.#sending.set(followerId, left);
        this.#loop.wake();
      });
    this.#jobs.add(job);
  }

  #noteTime(webhookId: string, durationMs: number): void {
    if (this.#averageMs.size >= KNOWN_TIMES) this.#averageMs.clear();
    const before = this.#averageMs.get(webhookId) ?? durationMs;
    this.#averageMs.set(webhookId, before * 0.8 + durationMs * 0.2);
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

/** Marks every session in which a follower is behind, in steps. Returns how many sessions no notification had named. */
export async function markAll(database: db.DatabaseAccess): Promise<number> {
  let count = 0;
  for (let after: string | null = NIL; after !== null; ) {
    const step: { last: string | null; marked: number } = await db.markFollowersFrom(
      database,
      after,
      HEADS_AT_ONCE,
    );
    count += step.marked;
    after = step.last;
  }
  return count;
}
