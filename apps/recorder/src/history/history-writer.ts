import { EventEmitter, once } from 'node:events';
import { aborted, pause } from '@session/kit';
import type { Logger } from 'pino';
import type {
  BatchReceiver,
  MessageReceiver,
  PendingMessages,
  PendingSession,
  QueuedMessage,
  StorableMessage,
  StoreResult,
} from '../message-path.ts';
import { BATCH_MESSAGES, storeBesideLanes } from './batch-store.ts';
import { probeDisk } from './disk-probe.ts';
import { pauseAfterFlush } from './flush-pause.ts';
import type { Lanes } from './lanes/lanes.ts';
import type { LossReport } from './loss-report.ts';
import { MessageQueue, QUEUE_BYTES } from './message-queue.ts';
import type { MessageTraces } from './message-traces.ts';
import { sinceOf, sinceOfAll } from './queued-message.ts';
import type { Spool } from './spool/spool.ts';
import type { SpoolRoom } from './spool/spool-room.ts';
import { type LateBatch, replaySpool } from './spool-replay.ts';
import type { StorageDelays } from './storage-delays.ts';
import type { StorageState } from './storage-state.ts';

const BATCH_BYTES = 8 * 1024 * 1024;
const DISK_RETRY_MS = 500;

export interface HistoryWriterDeps {
  readonly store: BatchReceiver;
  readonly spool: Spool;
  readonly lanes: Lanes;
  readonly state: StorageState;
  readonly losses: LossReport;
  readonly room: SpoolRoom;
  readonly delays: StorageDelays;
  readonly log: Logger;
  readonly flushMs: number;
  readonly spoolMs: number;
  readonly queueBytes?: number;
  readonly messageTraces?: MessageTraces | undefined;
}

/**
 * Writes the messages of all sessions into the history, in the order of their arrival, up to 500 in one statement. While the
 * database is away, messages go through the spool, and later ones follow them there until it is empty. A session whose
 * messages cannot be stored, while others' can, waits in a lane. If the disk takes nothing either, messages wait in memory.
 */
export class HistoryWriter implements MessageReceiver, PendingMessages, AsyncDisposable {
  readonly #deps: HistoryWriterDeps;
  readonly #queue: MessageQueue;
  readonly #events = new EventEmitter();
  readonly #ending = new AbortController();
  readonly #givingUp = new AbortController();
  readonly #running: Promise<void>;
  readonly #probing: Promise<void>;
  #replaying: Promise<void> | undefined;
  /** The batch whose answer is late: set before the batch goes into the spool, until the replay takes it. */
  #late: LateBatch | undefined;
  #batchFull = new AbortController();
  #inFlight: readonly QueuedMessage[] = [];
  #isRetrying = false;
  #hasEnded = false;

  constructor(deps: HistoryWriterDeps) {
    this.#deps = deps;
    this.#queue = new MessageQueue(deps.queueBytes ?? QUEUE_BYTES, (sessionId, count) =>
      deps.losses.shed(sessionId, count),
    );
    this.#startReplay();
    this.#running = this.#run();
    const isAsked = () => this.#isRetrying;
    this.#probing = probeDisk({ ...deps, isAsked }, this.#ending.signal);
  }

  get length(): number {
    const { spool, lanes } = this.#deps;
    return this.#queue.length + this.#inFlight.length + spool.length + lanes.length;
  }

  get waiting(): ReadonlyMap<string, PendingSession> {
    const { spool, lanes } = this.#deps;
    const waiting = new Map<string, PendingSession>();
    const add = (sessionId: string, since: number, isAlone: boolean) => {
      const known = waiting.get(sessionId) ?? { since, isAlone };
      waiting.set(sessionId, {
        since: Math.min(since, known.since),
        isAlone: isAlone || known.isAlone,
      });
    };
    for (const queued of this.#inMemory) add(queued.sessionId, sinceOf(queued), false);
    for (const [sessionId, since] of spool.sinceBySession) add(sessionId, since, false);
    for (const [sessionId, since] of lanes.sinceBySession) add(sessionId, since, true);
    return waiting;
  }

  get inMemorySince(): number {
    return Math.min(sinceOfAll(this.#inMemory), this.#deps.lanes.inMemorySince);
  }

  get lastFlushAt(): number | null {
    return this.#deps.state.lastFlushAt;
  }

  get isDatabaseOk(): boolean {
    return this.#deps.state.isDatabaseOk;
  }

  get spool(): { readonly messages: number; readonly sizeBytes: number; readonly isOk: boolean } {
    const { spool, lanes, state } = this.#deps;
    const messages = spool.length + lanes.spooled;
    return { messages, sizeBytes: spool.sizeBytes + lanes.sizeBytes, isOk: state.isDiskOk };
  }

  /** When the oldest settled word that is still on the disk was received. A file is deleted once all its lines are settled. */
  get settledSince(): number {
    return Math.min(this.#deps.spool.settledSince, this.#deps.lanes.settledSince);
  }

  get room(): SpoolRoom {
    return this.#deps.room;
  }

  get storageDelays(): StorageDelays['metric'] {
    return this.#deps.delays.metric;
  }

  get deferredSessions(): number {
    return this.#deps.lanes.size;
  }

  get lost(): LossReport['counts'] {
    return this.#deps.losses.counts;
  }

  push(message: StorableMessage): void {
    if (this.#hasEnded) {
      this.#deps.losses.unsaved(1);
      return;
    }
    this.#queue.push(message);
    this.#events.emit('pushed');
    if (this.#queue.length >= BATCH_MESSAGES) this.#batchFull.abort();
    this.#deps.messageTraces?.received(message);
  }

  has(sessionId: string): boolean {
    const { spool, lanes } = this.#deps;
    const isInMemory = this.#inMemory.some((queued) => queued.sessionId === sessionId);
    return isInMemory || spool.has(sessionId) || lanes.has(sessionId);
  }

  async untilStored(sessionId: string, signal: AbortSignal): Promise<void> {
    while (this.has(sessionId) && !signal.aborted) await this.#deps.state.untilChanged(signal);
  }

  /** Stores all waiting messages. When `signal` aborts first, the rest stays in the spool for the next start. */
  async end(signal: AbortSignal): Promise<void> {
    const { log, losses, spool, lanes, room } = this.#deps;
    this.#ending.abort();
    this.#batchFull.abort();
    const finished = this.#running.then(() => Promise.all([this.#replaying, lanes.ended()]));
    await Promise.race([finished, aborted(signal)]);
    this.#givingUp.abort();
    await this.#running;
    lanes.giveUp();
    await lanes.ended();
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#queue.length > 0) losses.unsaved(this.#queue.length);
    const count = spool.length + lanes.length;
    if (count > 0) log.warn({ count }, 'unstored messages kept in spool for next start');
    await this.#probing;
    await spool[Symbol.asyncDispose]();
    await room[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end(AbortSignal.abort());
  }

  get #inMemory(): readonly QueuedMessage[] {
    return [...this.#inFlight, ...this.#queue.messages];
  }

  async #run(): Promise<void> {
    const ending = this.#ending.signal;
    const giveUp = this.#givingUp.signal;
    while (!(ending.aborted && this.#queue.length === 0)) {
      if (this.#queue.length === 0) {
        await once(this.#events, 'pushed', { signal: ending }).catch(() => {});
        continue;
      }
      this.#inFlight = this.#queue.take(BATCH_MESSAGES, BATCH_BYTES);
      const { length } = this.#inFlight;
      const isKept = await this.#storeOrKeep(this.#inFlight);
      this.#isRetrying = !isKept;
      this.#inFlight = [];
      this.#deps.state.changed();
      if (!isKept && giveUp.aborted) return;
      if (isKept) await this.#pauseAfterFlush(length);
      else await pause(DISK_RETRY_MS, giveUp);
    }
  }

  async #pauseAfterFlush(lastBatchSize: number): Promise<void> {
    if (this.#queue.length >= BATCH_MESSAGES || this.#ending.signal.aborted) return;
    this.#batchFull = new AbortController();
    const pauseMs = pauseAfterFlush(lastBatchSize, this.#deps.flushMs);
    await pause(pauseMs, this.#batchFull.signal);
  }

  /** Returns false, with the rest back in the queue, when the disk takes nothing. */
  async #storeOrKeep(batch: readonly QueuedMessage[]): Promise<boolean> {
    const { spool, lanes, state, messageTraces } = this.#deps;
    const { deferred, rest, late } = await this.#flush(batch);
    let unkept = [...deferred, ...rest];
    try {
      await lanes.append(deferred, false);
      unkept = [...rest];
      if (rest.length > 0) {
        const startedAt = messageTraces?.now() ?? 0;
        if (late) this.#late = late;
        await spool.append(rest, late?.messages.length);
        messageTraces?.spooled(rest, startedAt);
        state.spooled();
      }
      return true;
    } catch (err) {
      state.spoolFailed(err);
      if (late) this.#late = undefined;
      this.#queue.putBack(unkept);
      return false;
    } finally {
      this.#startReplay();
    }
  }

  async #flush(
    batch: readonly QueuedMessage[],
  ): Promise<Pick<StoreResult, 'deferred' | 'rest'> & { readonly late?: LateBatch }> {
    const giveUp = this.#givingUp.signal;
    const { spool, spoolMs } = this.#deps;
    const nothingStored = { deferred: [], rest: batch };
    if (spool.length > 0 || giveUp.aborted) return nothingStored;
    const answered = new AbortController();
    const storing = storeBesideLanes(this.#deps, batch, true);
    const timeout = pause(spoolMs, AbortSignal.any([answered.signal, giveUp]));
    // After this process stood still, an answer may have arrived that was not read yet.
    const isLate = timeout.then(() => new Promise<void>((resolve) => void setImmediate(resolve)));
    const result = await Promise.race([storing, isLate.then(() => undefined)]);
    answered.abort();
    if (!result) return { ...nothingStored, late: { messages: batch, answer: storing } };
    this.#note(result);
    return result;
  }

  #startReplay(): void {
    const giveUp = this.#givingUp.signal;
    if (this.#replaying || this.#deps.spool.length === 0 || giveUp.aborted) return;
    const noted = (result: StoreResult) => this.#note(result);
    const takeLate = () => {
      const late = this.#late;
      this.#late = undefined;
      return late;
    };
    this.#replaying = replaySpool({ ...this.#deps, noted, takeLate }, giveUp).finally(() => {
      this.#replaying = undefined;
      this.#startReplay();
    });
  }

  #note(result: StoreResult): void {
    this.#deps.state.settled(result.settledCount);
    this.#deps.state.answered(result);
  }
}
