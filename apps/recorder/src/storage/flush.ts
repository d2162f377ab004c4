import { EventEmitter, once } from 'node:events';
import type { Recordable } from '@session/contract/room';
import { isDatabaseAway, isRefusedValue, type MessageQueries } from '@session/db';
import { aborted, pause } from '@session/kit';
import type { Logger } from 'pino';
import { MessageQueue, oldestOf, QUEUE_LIMITS, type QueueLimits } from './message-queue.ts';

const BATCH = 500;
const BATCH_BYTES = 8 * 1024 * 1024;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1000;
/** So often a batch is sent that fails by what nobody knows to pass; then it is taken to be at fault itself. */
const UNKNOWN_TRIES = 5;
/** PostgreSQL's `query_canceled`: the statement took too long. */
const CANCELED = '57014';

interface FlushDeps {
  readonly appendMessages: MessageQueries['appendMessages'];
  readonly log: Logger;
  readonly flushMs: number;
  readonly limits?: QueueLimits;
}

/**
 * Brings what all sessions have recorded into the history, in the order of its arrival: one statement for up to 500
 * messages, none of which waits longer than `flushMs` for others. While the database is away they wait in memory, and
 * the same batch is sent again. A message that the database refuses is given up, and only that one.
 */
export class Flush implements AsyncDisposable {
  readonly #deps: FlushDeps;
  readonly #queue: MessageQueue;
  /** Says `pushed` and `stored`. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #ending = new AbortController();
  readonly #givingUp = new AbortController();
  readonly #running: Promise<void>;
  #filling = new AbortController();
  #inFlight: readonly Recordable[] = [];
  #lastFlushAt: number | null = null;
  #isDatabaseOk = true;
  #isOver = false;
  readonly #lost = { refused: 0, shed: 0, unsaved: 0 };

  constructor(deps: FlushDeps) {
    this.#deps = deps;
    this.#queue = new MessageQueue(deps.limits ?? QUEUE_LIMITS, (sessionId, count) => {
      this.#lost.shed += count;
      deps.log.error({ sessionId, count }, 'too much waits for the database: messages are lost');
    });
    this.#running = this.#run();
  }

  /** How many messages wait, those that are under way included. */
  get length(): number {
    return this.#queue.length + this.#inFlight.length;
  }

  /** Milliseconds since the epoch: when the first of those that wait was received. */
  get oldestAt(): number | undefined {
    const { oldestAt } = this.#queue;
    return oldestAt === undefined
      ? oldestOf(this.#inFlight)
      : Math.min(oldestAt, oldestOf(this.#inFlight) ?? oldestAt);
  }

  /** Milliseconds since the epoch. */
  get lastFlushAt(): number | null {
    return this.#lastFlushAt;
  }

  /** Whether the database took the last batch that it was given. */
  get isDatabaseOk(): boolean {
    return this.#isDatabaseOk;
  }

  /** What did not reach the history: refused by the database, too much for the memory, or still waiting at the end. */
  get lost(): Readonly<Record<'refused' | 'shed' | 'unsaved', number>> {
    return this.#lost;
  }

  /** Takes a message to store it; after the end it can only be counted as lost. */
  push(message: Recordable): void {
    if (this.#isOver) {
      this.#lost.unsaved += 1;
      const { id, sessionId, kind } = message;
      this.#deps.log.error({ id, sessionId, kind }, 'too late to be stored: a message is lost');
      return;
    }
    this.#queue.push(message);
    this.#events.emit('pushed');
    if (this.#queue.length >= BATCH) this.#filling.abort();
  }

  /** Resolves when nothing of the session waits any more, or when `signal` aborts. */
  async stored(sessionId: string, signal: AbortSignal): Promise<void> {
    const isWaiting = () =>
      this.#queue.has(sessionId) || this.#inFlight.some((one) => one.sessionId === sessionId);
    while (isWaiting() && !signal.aborted) await this.#next('stored', signal);
  }

  /** Stores what waits. When `signal` aborts before that is done, the rest is given up. */
  async end(signal: AbortSignal): Promise<void> {
    this.#ending.abort();
    this.#filling.abort();
    await Promise.race([this.#running, aborted(signal)]);
    this.#givingUp.abort();
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.length === 0) return;
    this.#lost.unsaved += this.length;
    this.#deps.log.error(
      { count: this.length },
      'the database is away at the end: messages are lost',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end(AbortSignal.abort());
  }

  async #run(): Promise<void> {
    const ending = this.#ending.signal;
    while (!(ending.aborted && this.#queue.length === 0) && !this.#givingUp.signal.aborted) {
      if (this.#queue.length === 0) await this.#next('pushed', ending);
      else {
        await this.#fill();
        this.#inFlight = this.#queue.take(BATCH, BATCH_BYTES);
        await this.#store(this.#inFlight);
        this.#inFlight = [];
        this.#events.emit('stored');
      }
    }
  }

  /** Waits for more to come: for a whole batch, or until the first has waited long enough. */
  async #fill(): Promise<void> {
    if (this.#queue.length >= BATCH || this.#ending.signal.aborted) return;
    this.#filling = new AbortController();
    await pause(this.#deps.flushMs, this.#filling.signal);
  }

  async #store(batch: readonly Recordable[]): Promise<void> {
    const giveUp = this.#givingUp.signal;
    let tries = 0;
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)) {
      try {
        await this.#deps.appendMessages(batch);
        this.#lastFlushAt = Date.now();
        this.#noteDatabase(true);
        return;
      } catch (error) {
        this.#noteFailure(error);
        if (!isDatabaseAway(error)) tries += 1;
        const isTooMuch = codeOf(error) === CANCELED && batch.length > 1;
        if (isRefusedValue(error) || isTooMuch || tries >= UNKNOWN_TRIES) {
          await this.#isolate(batch, error);
          return;
        }
      }
      await pause(delayMs, giveUp);
      if (giveUp.aborted) return;
    }
  }

  /** Finds what the database does not take by halves, so that all the others are stored, in their order. */
  async #isolate(batch: readonly Recordable[], error: unknown): Promise<void> {
    const [first] = batch;
    if (first && batch.length === 1) {
      this.#lost.refused += 1;
      const { id, sessionId, kind } = first;
      const code = codeOf(error);
      this.#deps.log.error({ id, sessionId, kind, code }, 'the database refuses a message');
      return;
    }
    if (this.#givingUp.signal.aborted) return;
    const middle = Math.ceil(batch.length / 2);
    await this.#store(batch.slice(0, middle));
    await this.#store(batch.slice(middle));
  }

  #noteDatabase(isOk: boolean, code?: string): void {
    if (isOk === this.#isDatabaseOk) return;
    this.#isDatabaseOk = isOk;
    if (isOk) this.#deps.log.info('messages are stored again');
    else this.#deps.log.warn({ code }, 'messages cannot be stored for now: they wait');
  }

  /** Says once that the database is away, and of what nobody expects each time: there are few tries. */
  #noteFailure(error: unknown): void {
    if (isRefusedValue(error)) return;
    const code = codeOf(error);
    this.#noteDatabase(false, code);
    if (!isDatabaseAway(error)) this.#deps.log.error({ code }, 'messages fail to be stored');
  }

  async #next(name: 'pushed' | 'stored', signal: AbortSignal): Promise<void> {
    await once(this.#events, name, { signal }).catch(() => {});
  }
}

/** Gives the code of a database's error. Not its words: they may repeat the messages'. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}
