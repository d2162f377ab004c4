import { EventEmitter, once } from 'node:events';
import type { RoomMessage } from '@session/contract/room';
import { aborted, pause } from '@session/kit';
import type { Logger } from 'pino';
import { type BatchStore, codeOf, type Outcome } from './batch-store.ts';
import { type Entry, oldestOf } from './queued-message.ts';
import type { LostMessages } from './loss-report.ts';
import { MessageQueue, QUEUE_BYTES } from './message-queue.ts';
import type { Spool } from './spool.ts';
import { replaySpool } from './spool-replay.ts';

const BATCH = 500;
const BATCH_BYTES = 8 * 1024 * 1024;
const DISK_RETRY_MS = 500;

export interface FlushDeps {
  readonly store: Pick<BatchStore, 'store'>;
  readonly spool: Spool;
  readonly lost: LostMessages;
  readonly log: Logger;
  /** How long a message may wait for others to be stored with it. */
  readonly flushMs: number;
  /** How long a message may wait for the database's answer until it goes to the disk. */
  readonly spoolMs: number;
  /** How much may wait in memory, while neither the database nor the disk takes anything. */
  readonly queueBytes?: number;
}

/**
 * Brings what all sessions have recorded into the history, in the order of its arrival: one statement for up to 500
 * messages, none of which waits longer than `flushMs` for others. While the database is away, and until all is stored
 * that came meanwhile, they go to the spool, and from there into the history. If the disk takes nothing either, they wait
 * in memory.
 */
export class Flush implements AsyncDisposable {
  readonly #deps: FlushDeps;
  readonly #queue: MessageQueue;
  /** Says `pushed` and `stored`. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #ending = new AbortController();
  readonly #givingUp = new AbortController();
  readonly #running: Promise<void>;
  #replaying: Promise<void> | undefined;
  /** An answer of the database that came too late, or will. */
  #late: Promise<unknown> = Promise.resolve();
  #filling = new AbortController();
  #inFlight: readonly Entry[] = [];
  #lastFlushAt: number | null = null;
  #isDatabaseOk = true;
  #isDiskOk = true;
  #isOver = false;

  constructor(deps: FlushDeps) {
    this.#deps = deps;
    this.#queue = new MessageQueue(deps.queueBytes ?? QUEUE_BYTES, (sessionId, count) =>
      deps.lost.shed(sessionId, count),
    );
    this.#wakeReplay();
    this.#running = this.#run();
  }

  /** How many messages wait, those that are under way included. */
  get length(): number {
    return this.#queue.length + this.#inFlight.length + this.#deps.spool.length;
  }

  /** Milliseconds since the epoch: none of those that wait was received before. */
  get oldestAt(): number | undefined {
    const times = [this.#queue.oldestAt, oldestOf(this.#inFlight), this.#deps.spool.oldestAt];
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** Milliseconds since the epoch. */
  get lastFlushAt(): number | null {
    return this.#lastFlushAt;
  }

  /** Whether the database took the last batch that it was given. */
  get isDatabaseOk(): boolean {
    return this.#isDatabaseOk;
  }

  /** What of it waits on the disk, and whether the disk took the last of it. */
  get spool(): { readonly messages: number; readonly sizeBytes: number; readonly isOk: boolean } {
    const { length: messages, sizeBytes } = this.#deps.spool;
    return { messages, sizeBytes, isOk: this.#isDiskOk };
  }

  /** What did not reach the history. */
  get lost(): LostMessages['counts'] {
    return this.#deps.lost.counts;
  }

  /** Takes a message to store it; after the end it can only be counted as lost. */
  push(message: RoomMessage): void {
    if (this.#isOver) {
      this.#deps.lost.unsaved(1);
      return;
    }
    this.#queue.push(message);
    this.#events.emit('pushed');
    if (this.#queue.length >= BATCH) this.#filling.abort();
  }

  /** Whether anything of the session waits. */
  has(sessionId: string): boolean {
    const isInFlight = this.#inFlight.some((one) => one.sessionId === sessionId);
    return isInFlight || this.#queue.has(sessionId) || this.#deps.spool.has(sessionId);
  }

  /** Resolves when nothing of the session waits any more, or when `signal` aborts. */
  async stored(sessionId: string, signal: AbortSignal): Promise<void> {
    while (this.has(sessionId) && !signal.aborted) await this.#next('stored', signal);
  }

  /** Stores what waits. When `signal` aborts before that is done, the rest stays on the disk for the next start. */
  async end(signal: AbortSignal): Promise<void> {
    this.#ending.abort();
    this.#filling.abort();
    const finished = this.#running.then(() => this.#replaying);
    await Promise.race([finished, aborted(signal)]);
    this.#givingUp.abort();
    await this.#running;
    if (this.#isOver) return;
    this.#isOver = true;
    const { log, lost, spool } = this.#deps;
    if (this.#queue.length > 0) lost.unsaved(this.#queue.length);
    const count = spool.length;
    if (count > 0) log.warn({ count }, 'the spool keeps what is not stored for the next start');
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
        await this.#fill();
        this.#inFlight = this.#queue.take(BATCH, BATCH_BYTES);
        const isKept = await this.#keep(this.#inFlight);
        this.#inFlight = [];
        this.#events.emit('stored');
        if (!isKept && giveUp.aborted) return;
        if (!isKept) await pause(DISK_RETRY_MS, giveUp);
      }
    }
  }

  /** Waits for more to come: for a whole batch, or until the first has waited long enough. */
  async #fill(): Promise<void> {
    if (this.#queue.length >= BATCH || this.#ending.signal.aborted) return;
    this.#filling = new AbortController();
    await pause(this.#deps.flushMs, this.#filling.signal);
  }

  /** Brings a batch into the history or onto the disk; puts it back and gives false when neither is possible now. */
  async #keep(batch: readonly Entry[]): Promise<boolean> {
    const { spool, log } = this.#deps;
    const rest = batch.slice(await this.#storeNow(batch));
    if (rest.length === 0) return true;
    try {
      await spool.append(rest);
      if (!this.#isDiskOk) log.info('the spool takes messages again');
      this.#isDiskOk = true;
      this.#wakeReplay();
      return true;
    } catch (err) {
      if (this.#isDiskOk) log.error({ err }, 'the spool takes nothing: messages wait in memory');
      this.#isDiskOk = false;
      this.#queue.putBack(rest);
      return false;
    }
  }

  /** Stores a batch if nothing is to be stored before it; gives how many of the first are stored in time. */
  async #storeNow(batch: readonly Entry[]): Promise<number> {
    const giveUp = this.#givingUp.signal;
    const { spool, store, spoolMs } = this.#deps;
    if (spool.length > 0 || giveUp.aborted) return 0;
    const answered = new AbortController();
    const storing = store.store(batch);
    const patience = pause(spoolMs, AbortSignal.any([answered.signal, giveUp]));
    const outcome = await Promise.race([storing, patience]);
    answered.abort();
    if (typeof outcome === 'boolean') {
      this.#late = storing;
      return 0;
    }
    this.#note(outcome);
    return outcome.settled;
  }

  /** What is in the spool must not overtake an answer that is late: of the same messages the first wins. */
  #wakeReplay(): void {
    const giveUp = this.#givingUp.signal;
    if (this.#replaying || this.#deps.spool.length === 0 || giveUp.aborted) return;
    const noted = (outcome: Outcome) => this.#note(outcome);
    this.#replaying = this.#late
      .then(() => replaySpool({ ...this.#deps, noted }, giveUp))
      .finally(() => {
        this.#replaying = undefined;
        this.#wakeReplay();
      });
  }

  /** Says once that the database is away, and what for. */
  #note(outcome: Outcome): void {
    if (outcome.settled > 0) this.#lastFlushAt = Date.now();
    this.#events.emit('stored');
    const isOk = !('error' in outcome);
    if (isOk === this.#isDatabaseOk) return;
    this.#isDatabaseOk = isOk;
    const code = codeOf(outcome.error);
    if (isOk) this.#deps.log.info('messages are stored again');
    else this.#deps.log.warn({ code }, 'messages cannot be stored for now: they wait');
  }

  async #next(name: 'pushed' | 'stored', signal: AbortSignal): Promise<void> {
    await once(this.#events, name, { signal }).catch(() => {});
  }
}
