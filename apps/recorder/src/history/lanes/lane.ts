import { aborted, pause } from '@session/kit';
import type { BatchReceiver, QueuedMessage, StoreResult } from '../../message-path.ts';
import type { RecorderLog } from '../../process/log.ts';
import { BATCH_MESSAGES, codeOf } from '../batch-store.ts';
import type { Spool } from '../spool/spool.ts';
import { LaneMessages, type LaneMessagesDeps } from './lane-messages.ts';
import { StuckMessage } from './stuck-message.ts';

const FIRST_RETRY_MS = 10;
const LONGEST_RETRY_MS = 1000;
const OTHERS_TRIED = 10;
/** A shorter wait of a session is not logged, because other transactions lock its head briefly. */
const LOGGED_AFTER_MS = 1000;

export interface LaneDeps extends LaneMessagesDeps {
  readonly sessionId: string;
  readonly store: BatchReceiver;
  readonly refuse: (queued: QueuedMessage, error: unknown) => Promise<void>;
  readonly log: RecorderLog;
  readonly refuseMs: number;
  readonly noted: (settledCount: number) => void;
}

/**
 * A session whose messages cannot be stored while those of others can, for example because another transaction locks
 * its head. Its messages wait here, in order, and in memory for at most `spoolMs`. They are retried after 10 ms at
 * first, and later after up to 1 s.
 */
export class Lane {
  readonly #deps: LaneDeps;
  readonly messages: LaneMessages;
  readonly #stuck: StuckMessage;
  #isLogged = false;
  #failureCode: string | undefined;

  constructor(deps: LaneDeps, spool?: Spool) {
    this.#deps = deps;
    this.messages = new LaneMessages(deps, spool);
    this.#stuck = new StuckMessage(deps.refuseMs);
  }

  async run(giveUp: AbortSignal): Promise<void> {
    const { log, sessionId } = this.#deps;
    let delayMs = FIRST_RETRY_MS;
    let count = 1;
    let progressedAt = performance.now();
    while (!this.messages.isEmpty && !giveUp.aborted) {
      const hasProgressed = await this.#storeSome(count, giveUp).catch((err: unknown) => {
        log.error({ err, sessionId }, 'processing pending messages of session failed, retrying');
        this.#failureCode = codeOf(err);
        return false;
      });
      // After a failure one message is sent alone, so that the messages before a faulty one are stored.
      count = hasProgressed ? Math.min(2 * count, BATCH_MESSAGES) : 1;
      if (hasProgressed) progressedAt = performance.now();
      else if (performance.now() - progressedAt >= LOGGED_AFTER_MS) this.#logOnce();
      if (!hasProgressed) await pause(delayMs, giveUp);
      delayMs = hasProgressed ? FIRST_RETRY_MS : Math.min(2 * delayMs, LONGEST_RETRY_MS);
    }
    if (!this.#isLogged || !this.messages.isEmpty) return;
    log.info({ sessionId }, 'resumed storing messages of session');
    this.#isLogged = false;
  }

  async #storeSome(count: number, giveUp: AbortSignal): Promise<boolean> {
    const batch = await this.messages.first(count);
    const result = await this.#store(batch, giveUp);
    if (!result) return false;
    this.#failureCode = codeOf(result.reason ?? result.error);
    const unsettled = new Set([...result.deferred, ...result.rest]);
    const firstUnsettled = batch.findIndex((queued) => unsettled.has(queued));
    const settledCount = firstUnsettled < 0 ? batch.length : firstUnsettled;
    await this.messages.settle(settledCount);
    this.#deps.noted(settledCount);
    if (settledCount > 0) return true;
    return await this.#refuseStuck(batch, result, giveUp);
  }

  async #refuseStuck(
    batch: readonly QueuedMessage[],
    result: StoreResult,
    giveUp: AbortSignal,
  ): Promise<boolean> {
    const [first] = batch;
    if (batch.length !== 1 || !first || !this.#stuck.isDue(first, result)) return false;
    const [, ...later] = await this.messages.first(BATCH_MESSAGES);
    for (const queued of later.slice(0, OTHERS_TRIED)) {
      const other = await this.#store([queued], giveUp);
      if (!other) return false;
      if (other.settledCount === 0) continue;
      // The cause may have been removed just before the other message was stored.
      const again = await this.#store([first], giveUp);
      if (!again) return false;
      if (again.settledCount === 0) {
        if (!this.#stuck.isDue(first, again)) return false;
        await this.#deps.refuse(first, again.error ?? again.reason);
      }
      await this.messages.settle(1);
      return true;
    }
    return false;
  }

  /**
   * Stores a batch. When the answer takes long, writes what waits in memory to the disk meanwhile. Returns undefined when
   * `giveUp` aborts before the answer.
   */
  async #store(
    batch: readonly QueuedMessage[],
    giveUp: AbortSignal,
  ): Promise<StoreResult | undefined> {
    const answered = new AbortController();
    const storing = this.#deps.store.store(batch).finally(() => answered.abort());
    const leftMs = Math.max(0, this.#deps.spoolMs - this.messages.memoryAgeMs);
    const timeout = AbortSignal.any([answered.signal, giveUp]);
    if (leftMs === 0 || (await pause(leftMs, timeout))) await this.messages.spill().catch(() => {});
    // Not `aborted(giveUp)`: `giveUp` exists as long as the process, and its listeners would keep every attempt in memory.
    await aborted(timeout);
    return giveUp.aborted ? undefined : await storing;
  }

  #logOnce(): void {
    if (this.#isLogged) return;
    const { log, sessionId } = this.#deps;
    log.warn(
      { sessionId, code: this.#failureCode },
      'storing messages of session failed, retrying',
    );
    this.#isLogged = true;
  }
}
