import { classOfError } from '@session/db';
import { pause } from '@session/kit';
import type { BatchReceiver, QueuedMessage, RowWriter, StoreResult } from '../message-path.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { FailureJudge } from './failure-judge.ts';
import type { Lanes } from './lanes/lanes.ts';
import type { MessageTraces } from './message-traces.ts';
import { isLost } from './queued-message.ts';
import { type RefusalDeps, refuseMessage } from './rejected/refuse-message.ts';
import type { StorageDelays } from './storage-delays.ts';

export const BATCH_MESSAGES = 500;
/**
 * How often an attempt retries locked sessions when there are too many to defer. After that, the database counts as
 * away.
 */
const LOCKED_RETRIES = 10;
/** With `LOCKED_RETRIES`, long enough for the flush of another recorder, and shorter than `spoolMs`. */
const LOCKED_PAUSE_MS = 5;

export interface BatchStoreDeps extends RefusalDeps {
  readonly queries: RowWriter;
  readonly clock: Clock;
  readonly judge: FailureJudge;
  readonly mayDefer: (count: number) => boolean;
  readonly delays: StorageDelays;
  readonly messageTraces?: MessageTraces | undefined;
}

const HEAD_LOCKED = Object.assign(new Error('another transaction holds the head of the session'), {
  code: '55P03',
});

type Part = readonly QueuedMessage[];

export class BatchStore implements BatchReceiver {
  readonly #deps: BatchStoreDeps;

  constructor(deps: BatchStoreDeps) {
    this.#deps = deps;
  }

  /**
   * Stores messages in order; never rejects. Halves the batch to find a message that the database never takes. With
   * `isAlone`, no message of another session waits behind the batch.
   */
  async store(batch: readonly QueuedMessage[], isAlone = true): Promise<StoreResult> {
    const { messageTraces } = this.#deps;
    const startedAt = messageTraces?.now() ?? 0;
    const isOnlySession = isAlone && sessionsOf(batch).length === 1;
    const result = await new Attempt(this.#deps, isOnlySession).store(batch);
    messageTraces?.attempted(batch, result, startedAt);
    return result;
  }
}

class Attempt {
  readonly #deps: BatchStoreDeps;
  readonly #isOnlySession: boolean;
  readonly #settled = new Set<QueuedMessage>();
  readonly #deferred = new Set<string>();
  #retriesLeft = LOCKED_RETRIES;
  #reason: unknown;
  #away: { readonly error: unknown } | undefined;

  constructor(deps: BatchStoreDeps, isOnlySession: boolean) {
    this.#deps = deps;
    this.#isOnlySession = isOnlySession;
  }

  async store(batch: readonly QueuedMessage[]): Promise<StoreResult> {
    for (const part of partsOf(batch)) await this.#store(part);
    const unsettled = batch.filter((queued) => !this.#settled.has(queued));
    const isDeferred = ({ sessionId }: QueuedMessage) => this.#deferred.has(sessionId);
    return {
      settledCount: batch.length - unsettled.length,
      deferred: unsettled.filter(isDeferred),
      rest: unsettled.filter((queued) => !isDeferred(queued)),
      reason: this.#reason,
      ...this.#away,
    };
  }

  async #store(whole: Part): Promise<void> {
    // Later messages of a deferred session must not overtake the deferred ones.
    const part = whole.filter(({ sessionId }) => !this.#deferred.has(sessionId));
    if (this.#away || part.length === 0) return;
    try {
      const locked = await this.#send(part);
      const stored = part.filter(({ sessionId }) => !locked.has(sessionId));
      for (const queued of stored) this.#settled.add(queued);
      if (stored.some((queued) => !isLost(queued))) this.#deps.judge.stored();
      if (locked.size > 0) await this.#deferOrRetry(locked, part);
    } catch (error) {
      await this.#handle(error, part);
    }
  }

  async #deferOrRetry(locked: ReadonlySet<string>, part: Part): Promise<void> {
    const mayDefer = this.#deps.mayDefer(this.#deferred.size + locked.size);
    if (mayDefer || this.#retriesLeft === 0) {
      for (const sessionId of locked) this.#defer(sessionId, HEAD_LOCKED);
      return;
    }
    this.#retriesLeft -= 1;
    await pause(LOCKED_PAUSE_MS, new AbortController().signal);
    await this.#store(part.filter(({ sessionId }) => locked.has(sessionId)));
  }

  async #send(part: Part): Promise<ReadonlySet<string>> {
    const { queries, clock, reportLoss, delays, messageTraces } = this.#deps;
    const messages = part.filter((queued) => !isLost(queued));
    const marks = part.filter(isLost);
    for (const mark of marks) await reportLoss(mark);
    if (messages.length === 0) return new Set();
    const startedAt = messageTraces?.now() ?? 0;
    const options = { waitForLocks: false, now: clock.now() };
    const { lockedSessions } = await queries.appendMessages(messages, options);
    const locked = new Set(lockedSessions);
    delays.stored(messages, locked);
    messageTraces?.committed(messages, locked, startedAt);
    return locked;
  }

  async #handle(error: unknown, part: Part): Promise<void> {
    const errorClass = classOfError(error);
    const isRefused = errorClass === 'value' && this.#deps.judge.mayRefuse;
    const sessions = sessionsOf(part);
    const [first] = part;
    if (errorClass === 'away' || !first) this.#away = { error };
    // A lock on a session's intervals shows nothing about the messages of other sessions.
    else if (errorClass === 'session' && isLost(first)) this.#defer(first.sessionId, error);
    else if (isRefused && part.length === 1) await this.#refuse(first, error);
    else if (isRefused) await this.#storeHalves(part);
    else if (sessions.length > 1) await this.#storeBySession(part, sessions);
    else if (this.#deps.judge.isAway(first.sessionId, errorClass, this.#isOnlySession)) {
      this.#away = { error };
    } else this.#defer(first.sessionId, error);
  }

  async #storeHalves(part: Part): Promise<void> {
    const middle = Math.ceil(part.length / 2);
    await this.#store(part.slice(0, middle));
    await this.#store(part.slice(middle));
  }

  /**
   * Stores the sessions in a random order, because two sessions that always fail must not keep the others from being
   * tried.
   */
  async #storeBySession(part: Part, sessions: readonly string[]): Promise<void> {
    const ranked = sessions.map((sessionId) => ({ sessionId, rank: Math.random() }));
    for (const { sessionId } of ranked.toSorted((a, b) => a.rank - b.rank)) {
      await this.#store(part.filter((queued) => queued.sessionId === sessionId));
    }
  }

  async #refuse(queued: QueuedMessage, error: unknown): Promise<void> {
    const { sessionId } = queued;
    try {
      await refuseMessage(this.#deps, queued, error);
    } catch (failure) {
      const isLocked = classOfError(failure) === 'session';
      return isLocked ? this.#defer(sessionId, failure) : await this.#handle(failure, [queued]);
    }
    this.#deps.judge.refused();
    this.#deps.messageTraces?.refused(queued);
    this.#settled.add(queued);
  }

  #defer(sessionId: string, error: unknown): void {
    this.#reason ??= error;
    if (this.#deps.mayDefer(this.#deferred.size + 1)) this.#deferred.add(sessionId);
    else this.#away ??= { error };
  }
}

/**
 * Returns the code of a database error. Only the code is logged, because the error's text may repeat the content of
 * messages.
 */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}

function sessionsOf(part: Part): string[] {
  return [...new Set(part.map(({ sessionId }) => sessionId))];
}

function partsOf(batch: readonly QueuedMessage[]): Part[] {
  const parts: Part[] = [];
  let messages: QueuedMessage[] = [];
  for (const queued of batch) {
    if (!isLost(queued)) messages.push(queued);
    else {
      if (messages.length > 0) parts.push(messages);
      parts.push([queued]);
      messages = [];
    }
  }
  return messages.length > 0 ? [...parts, messages] : parts;
}

/** Stores a batch, but defers the messages of sessions with a lane: they are stored after those in the lane. */
export async function storeBesideLanes(
  { store, lanes }: { readonly store: BatchReceiver; readonly lanes: Pick<Lanes, 'has'> },
  batch: readonly QueuedMessage[],
  isAlone: boolean,
): Promise<StoreResult> {
  const waiting = new Set(batch.filter(({ sessionId }) => lanes.has(sessionId)));
  const others = batch.filter((queued) => !waiting.has(queued));
  const result = await store.store(others, isAlone && waiting.size === 0);
  const deferred = new Set([...waiting, ...result.deferred]);
  return { ...result, deferred: batch.filter((queued) => deferred.has(queued)) };
}
