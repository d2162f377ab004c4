import pLimit from 'p-limit';
import type { QueuedMessage } from '../../message-path.ts';
import { sinceOfAll } from '../queued-message.ts';
import type { Spool } from '../spool/spool.ts';
import { lineOf, type ReadableLine } from '../spool/spool-line.ts';
import { readFirst } from '../spool/spool-read.ts';

export interface LaneMessagesDeps {
  readonly openSpool: () => Promise<Spool>;
  readonly refuseLine: (text: string) => Promise<void>;
  readonly spoolMs: number;
}

/**
 * The messages of one lane, in order. They wait in memory until `spill` writes them to the lane's spool. While that spool has
 * any, messages are read only from it, and later messages follow them there.
 */
export class LaneMessages {
  readonly #deps: LaneMessagesDeps;
  /** Runs one task at a time: otherwise a later message could be written before an earlier one. */
  readonly #inTurn = pLimit(1);
  #memory: QueuedMessage[] = [];
  #memorySince = 0;
  #spool: Spool | undefined;
  #lent: readonly ReadableLine[] = [];

  constructor(deps: LaneMessagesDeps, spool?: Spool) {
    this.#deps = deps;
    this.#spool = spool;
  }

  get length(): number {
    return this.#memory.length + (this.#spool?.length ?? 0);
  }

  get isEmpty(): boolean {
    return this.length === 0 && this.#inTurn.activeCount + this.#inTurn.pendingCount === 0;
  }

  get sizeBytes(): number {
    return this.#spool?.sizeBytes ?? 0;
  }

  get spooled(): number {
    return this.#spool?.length ?? 0;
  }

  get settledSince(): number {
    return this.#spool?.settledSince ?? Infinity;
  }

  get since(): number {
    return Math.min(this.inMemorySince, ...(this.#spool?.sinceBySession.values() ?? []));
  }

  get inMemorySince(): number {
    return sinceOfAll(this.#memory);
  }

  get memoryAgeMs(): number {
    return this.#memory.length === 0 ? 0 : performance.now() - this.#memorySince;
  }

  /**
   * Appends messages. With `isDurable`, resolves when they are on the disk. Throws when they must go to the disk and it takes
   * nothing. All must go there once the first has waited in memory for `spoolMs`.
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

  async settle(count: number): Promise<void> {
    await this.#inTurn(async () => {
      if (count === 0) return;
      if (this.spooled > 0) await this.#spool?.settle(this.#lent.slice(0, count));
      else this.#memory.splice(0, count);
      this.#lent = [];
    });
  }

  async spill(): Promise<void> {
    await this.#inTurn(() => this.#spill());
  }

  async shed(bytes: number): Promise<number> {
    return await this.#inTurn(async () => (await this.#spool?.shed(bytes)) ?? 0);
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
