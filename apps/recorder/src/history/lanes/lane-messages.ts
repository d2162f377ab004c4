import pLimit from 'p-limit';
import type { QueuedMessage } from '../../message-path.ts';
import { sinceOfAll } from '../queued-message.ts';
import type { Spool } from '../spool/spool.ts';
import { lineOf, type ReadableLine } from '../spool/spool-line.ts';
import { readFirst } from '../spool/spool-read.ts';

export interface LaneMessagesDeps {
  /** Opens the lane's own spool, with what an earlier process has left in it. */
  readonly openSpool: () => Promise<Spool>;
  /** Reports a line of the spool that cannot be read. */
  readonly refuseLine: (text: string) => Promise<void>;
  /** How long messages may wait in memory only. */
  readonly spoolMs: number;
}

/**
 * The messages of one lane, in order. They wait in memory until `spill` writes them to the lane's spool. While the spool holds
 * any, messages are read from it alone, and later messages follow them there.
 */
export class LaneMessages {
  readonly #deps: LaneMessagesDeps;
  /** Runs one task at a time: otherwise a later message could be written before an earlier one. */
  readonly #inTurn = pLimit(1);
  #memory: QueuedMessage[] = [];
  /** When the oldest message in memory was added, on the process's own clock. */
  #memorySince = 0;
  #spool: Spool | undefined;
  /** What `first` returned last. */
  #lent: readonly ReadableLine[] = [];

  constructor(deps: LaneMessagesDeps, spool?: Spool) {
    this.#deps = deps;
    this.#spool = spool;
  }

  get length(): number {
    return this.#memory.length + (this.#spool?.length ?? 0);
  }

  /** Whether no message waits, and none is being added. */
  get isEmpty(): boolean {
    return this.length === 0 && this.#inTurn.activeCount + this.#inTurn.pendingCount === 0;
  }

  get sizeBytes(): number {
    return this.#spool?.sizeBytes ?? 0;
  }

  /** How many messages are on the disk. */
  get spooled(): number {
    return this.#spool?.length ?? 0;
  }

  /** Milliseconds since the epoch: no word was received before. Infinity: nothing waits. */
  get since(): number {
    return Math.min(this.inMemorySince, ...(this.#spool?.sinceBySession.values() ?? []));
  }

  /** The same, but for what is on the disk. */
  get inMemorySince(): number {
    return sinceOfAll(this.#memory);
  }

  /** For how long messages have been in memory only, in milliseconds. */
  get memoryAgeMs(): number {
    return this.#memory.length === 0 ? 0 : performance.now() - this.#memorySince;
  }

  /**
   * Adds messages behind the others. With `isDurable`, resolves when they are on the disk. Throws when the disk takes nothing:
   * what waits in memory for too long must not grow.
   */
  async append(messages: readonly QueuedMessage[], isDurable: boolean): Promise<void> {
    await this.#inTurn(async () => {
      const isOverdue = this.#memory.length > 0 && this.memoryAgeMs >= this.#deps.spoolMs;
      if (isDurable || this.spooled > 0 || isOverdue) {
        await this.#spill();
        await (await this.#openSpool()).append(messages);
      } else {
        if (this.#memory.length === 0) this.#memorySince = performance.now();
        this.#memory.push(...messages);
      }
    });
  }

  /** Returns the first messages, up to `count`, and at least one if there is any. They stay until they are settled. */
  async first(count: number): Promise<QueuedMessage[]> {
    return await this.#inTurn(async () => {
      const spool = this.#spool;
      this.#lent =
        spool && spool.length > 0
          ? await readFirst(spool, count, this.#deps.refuseLine)
          : this.#memory.slice(0, count).map(lineOf);
      return this.#lent.map(({ queued }) => queued);
    });
  }

  /** Removes the first messages: as many as `first` has returned, or fewer. They may have been written to the disk since then. */
  async settle(count: number): Promise<void> {
    await this.#inTurn(async () => {
      if (count === 0) return;
      if (this.spooled > 0) await this.#spool?.settle(this.#lent.slice(0, count));
      else this.#memory.splice(0, count);
      this.#lent = [];
    });
  }

  /** Writes what waits in memory to the disk. Throws when the disk takes nothing. */
  async spill(): Promise<void> {
    await this.#inTurn(() => this.#spill());
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => await this.#spool?.[Symbol.asyncDispose]());
  }

  async #spill(): Promise<void> {
    if (this.#memory.length === 0) return;
    await (await this.#openSpool()).append(this.#memory, this.#lent.length);
    this.#memory = [];
  }

  async #openSpool(): Promise<Spool> {
    this.#spool ??= await this.#deps.openSpool();
    return this.#spool;
  }
}
