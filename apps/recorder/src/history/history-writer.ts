import { EventEmitter, once } from 'node:events';
import { aborted, pause } from '@session/kit';
import type { Logger } from 'pino';
import type {
  BatchReceiver,
  MessageReceiver,
  PendingMessages,
  QueuedMessage,
  StorableMessage,
  StoreResult,
} from '../message-path.ts';
import { BATCH_MESSAGES, codeOf } from './batch-store.ts';
import type { LossReport } from './loss-report.ts';
import { MessageQueue, QUEUE_BYTES } from './message-queue.ts';
import { oldestOf } from './queued-message.ts';
import type { Spool } from './spool.ts';
import { replaySpool } from './spool-replay.ts';

const BATCH_BYTES = 8 * 1024 * 1024;
const DISK_RETRY_MS = 500;

export interface HistoryWriterDeps {
  readonly store: BatchReceiver;
  readonly spool: Spool;
  readonly losses: LossReport;
  readonly log: Logger;
  /** How long a message may wait for others to be stored with it. */
  readonly flushMs: number;
  /** How long the database may take to answer before the messages go to the spool. */
  readonly spoolMs: number;
  /** How much may wait in memory, while neither the database nor the disk takes anything. */
  readonly queueBytes?: number;
}

/**
 * Writes the messages of all sessions into the history, in the order of their arrival. One statement stores up to 500
 * messages, none of which waits longer than `flushMs` for others. While the database is away, messages go to the spool,
 * and from there into the history; so do later messages, until the spool is empty. If the disk takes nothing either, the
 * messages wait in memory.
 */
export class HistoryWriter implements MessageReceiver, PendingMessages, AsyncDisposable {
  readonly #deps: HistoryWriterDeps;
  readonly #queue: MessageQueue;
  /** Emits `pushed` with each new message, and `changed` after each attempt to store or keep messages. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #ending = new AbortController();
  readonly #givingUp = new AbortController();
  readonly #running: Promise<void>;
  #replaying: Promise<void> | undefined;
  /** Resolves when the database has answered a batch that took too long. */
  #lateAnswer: Promise<unknown> = Promise.resolve();
  /** Aborts when a batch is not to wait for more messages. */
  #batchFull = new AbortController();
  #inFlight: readonly QueuedMessage[] = [];
  #lastFlushAt: number | null = null;
  #isDatabaseOk = true;
  #isDiskOk = true;
  #hasEnded = false;

  constructor(deps: HistoryWriterDeps) {
    this.#deps = deps;
    this.#queue = new MessageQueue(deps.queueBytes ?? QUEUE_BYTES, (sessionId, count) =>
      deps.losses.shed(sessionId, count),
    );
    this.#startReplay();
    this.#running = this.#run();
  }

  /** How many messages wait, including those that are being stored. */
  get length(): number {
    return this.#queue.length + this.#inFlight.length + this.#deps.spool.length;
  }

  /** Milliseconds since the epoch: no waiting message was received before. */
  get oldestAt(): number | undefined {
    const times = [this.#queue.oldestAt, oldestOf(this.#inFlight), this.#deps.spool.oldestAt];
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** Milliseconds since the epoch. */
  get lastFlushAt(): number | null {
    return this.#lastFlushAt;
  }

  /** Whether the database stored the last batch that was sent. */
  get isDatabaseOk(): boolean {
    return this.#isDatabaseOk;
  }

  /** What waits on the disk, and whether the disk took the last messages that were appended. */
  get spool(): { readonly messages: number; readonly sizeBytes: number; readonly isOk: boolean } {
    const { length: messages, sizeBytes } = this.#deps.spool;
    return { messages, sizeBytes, isOk: this.#isDiskOk };
  }

  /** How many messages did not reach the history. */
  get lost(): LossReport['counts'] {
    return this.#deps.losses.counts;
  }

  /** Takes a message to store it. After the end, the message can only be counted as lost. */
  push(message: StorableMessage): void {
    if (this.#hasEnded) {
      this.#deps.losses.unsaved(1);
      return;
    }
    this.#queue.push(message);
    this.#events.emit('pushed');
    if (this.#queue.length >= BATCH_MESSAGES) this.#batchFull.abort();
  }

  has(sessionId: string): boolean {
    const isInFlight = this.#inFlight.some((queued) => queued.sessionId === sessionId);
    return isInFlight || this.#queue.has(sessionId) || this.#deps.spool.has(sessionId);
  }

  async untilStored(sessionId: string, signal: AbortSignal): Promise<void> {
    while (this.has(sessionId) && !signal.aborted) await this.#next('changed', signal);
  }

  /** Stores all waiting messages. When `signal` aborts before that is done, the rest stays in the spool for the next start. */
  async end(signal: AbortSignal): Promise<void> {
    this.#ending.abort();
    this.#batchFull.abort();
    const finished = this.#running.then(() => this.#replaying);
    await Promise.race([finished, aborted(signal)]);
    this.#givingUp.abort();
    await this.#running;
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { log, losses, spool } = this.#deps;
    if (this.#queue.length > 0) losses.unsaved(this.#queue.length);
    const count = spool.length;
    if (count > 0) log.warn({ count }, 'the spool keeps unstored messages for the next start');
    await spool[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end(AbortSignal.abort());
  }

  async #run(): Promise<void> {
    const ending = this.#ending.signal;
    const giveUp = this.#givingUp.signal;
    while (!(ending.aborted && this.#queue.length === 0)) {
      if (this.#queue.length === 0) await this.#next('pushed', ending);
      else {
        await this.#fillBatch();
        this.#inFlight = this.#queue.take(BATCH_MESSAGES, BATCH_BYTES);
        const isKept = await this.#storeOrSpool(this.#inFlight);
        this.#inFlight = [];
        this.#events.emit('changed');
        if (!isKept && giveUp.aborted) return;
        if (!isKept) await pause(DISK_RETRY_MS, giveUp);
      }
    }
  }

  /** Waits for more messages: until the batch is full, or the first message has waited long enough. */
  async #fillBatch(): Promise<void> {
    if (this.#queue.length >= BATCH_MESSAGES || this.#ending.signal.aborted) return;
    this.#batchFull = new AbortController();
    await pause(this.#deps.flushMs, this.#batchFull.signal);
  }

  /** Stores a batch, or appends it to the spool. Puts it back and returns false when neither is possible now. */
  async #storeOrSpool(batch: readonly QueuedMessage[]): Promise<boolean> {
    const { spool, log } = this.#deps;
    const rest = batch.slice(await this.#flush(batch));
    if (rest.length === 0) return true;
    try {
      await spool.append(rest);
      if (!this.#isDiskOk) log.info('the spool takes messages again');
      this.#isDiskOk = true;
      this.#startReplay();
      return true;
    } catch (err) {
      if (this.#isDiskOk) log.error({ err }, 'the spool takes nothing: messages wait in memory');
      this.#isDiskOk = false;
      this.#queue.putBack(rest);
      return false;
    }
  }

  /**
   * Stores a batch unless older messages wait in the spool. Returns how many of the batch's first messages are settled in
   * time: stored, or rejected for good. The others go to the spool.
   */
  async #flush(batch: readonly QueuedMessage[]): Promise<number> {
    const giveUp = this.#givingUp.signal;
    const { spool, store, spoolMs } = this.#deps;
    if (spool.length > 0 || giveUp.aborted) return 0;
    const answered = new AbortController();
    const storing = store.store(batch);
    const timeout = pause(spoolMs, AbortSignal.any([answered.signal, giveUp]));
    const result = await Promise.race([storing, timeout.then(() => undefined)]);
    answered.abort();
    if (!result) {
      this.#lateAnswer = storing;
      return 0;
    }
    this.#note(result);
    return result.settled;
  }

  /** Replays the spool, after any late answer: of two messages with one id, the complete one that is stored first stays. */
  #startReplay(): void {
    const giveUp = this.#givingUp.signal;
    if (this.#replaying || this.#deps.spool.length === 0 || giveUp.aborted) return;
    const noted = (result: StoreResult) => this.#note(result);
    this.#replaying = this.#lateAnswer
      .then(() => replaySpool({ ...this.#deps, noted }, giveUp))
      .finally(() => {
        this.#replaying = undefined;
        this.#startReplay();
      });
  }

  /** Logs once that the database stopped taking messages, and once that it takes them again. */
  #note(result: StoreResult): void {
    if (result.settled > 0) this.#lastFlushAt = Date.now();
    this.#events.emit('changed');
    const isOk = !('error' in result);
    if (isOk === this.#isDatabaseOk) return;
    this.#isDatabaseOk = isOk;
    const code = codeOf(result.error);
    if (isOk) this.#deps.log.info('messages are stored again');
    else this.#deps.log.warn({ code }, 'messages cannot be stored for now, and wait');
  }

  async #next(name: 'pushed' | 'changed', signal: AbortSignal): Promise<void> {
    await once(this.#events, name, { signal }).catch(() => {});
  }
}
