import type { RecordingIntervalQueries, SlotKey, SlotQueries, SlotStatus } from '@session/db';
import { v7 as uuidv7 } from 'uuid';

/** How a slot stands, as the database is to know it. */
export interface SlotState {
  readonly status: Exclude<SlotStatus, 'lost'>;
  /** ISO 8601. */
  readonly connectedAt: string | null;
  readonly attempts: number;
  readonly failure: string | null;
}

export type SlotReportQueries = Pick<
  SlotQueries & RecordingIntervalQueries,
  'closeInterval' | 'cutIntervals' | 'insertInterval' | 'insertUnheard' | 'updateSlot'
>;

/**
 * What the database is told of one slot: how it stands, and the intervals in which its room was heard. All of it is kept
 * until the database has taken it.
 */
export class SlotReport {
  readonly #queries: SlotReportQueries;
  readonly #unwritten: (() => Promise<void>)[] = [];
  #key: SlotKey;
  #state: SlotState | undefined;
  /** What was heard when is not as it was, for what `write` has written and not told yet. */
  #hasNews = false;
  #interval: { readonly id: string; readonly from: number } | undefined;

  constructor(queries: SlotReportQueries, key: SlotKey) {
    this.#queries = queries;
    this.#key = key;
  }

  get key(): SlotKey {
    return this.#key;
  }

  /** Since when the room is heard, in milliseconds since the epoch; undefined when it is not. */
  get heardSince(): number | undefined {
    return this.#interval?.from;
  }

  /** The id of the interval in which the room is heard; undefined when it is not. */
  get intervalId(): string | undefined {
    return this.#interval?.id;
  }

  /** The slot is ours under this epoch: whatever is written from now on bears it. */
  renew(epoch: number): void {
    this.#key = { ...this.#key, epoch };
  }

  setState(state: SlotState): void {
    this.#state = state;
  }

  /** Whether the database knows that the room is heard, if it is. */
  get isIntervalWritten(): boolean {
    return this.#interval !== undefined && this.#unwritten.length === 0;
  }

  /**
   * Somebody was in the room at `from`, which we heard from `before` on (both in milliseconds since the epoch). If nobody
   * heard it earlier, that is where its first gap begins: an interval of no length says so.
   */
  beginUnheard(from: number, before: number): void {
    const { sessionId, recorderId } = this.#key;
    const unheard = { sessionId, id: uuidv7(), recorderId, at: iso(from), before: iso(before) };
    this.#unwritten.push(() => this.#queries.insertUnheard(unheard));
  }

  /** The room is heard from `from` on (milliseconds since the epoch). */
  beginInterval(from: number): void {
    const interval = { id: uuidv7(), from };
    this.#interval = interval;
    const { sessionId, recorderId } = this.#key;
    const begun = { sessionId, id: interval.id, recorderId, fromAt: iso(from) };
    this.#unwritten.push(() => this.#queries.insertInterval(begun));
  }

  /** From `from` to `to` (milliseconds since the epoch) it was not heard after all, for `endReason`. */
  cutInterval(from: number, to: number, endReason: string): void {
    const { sessionId, recorderId } = this.#key;
    const cut = { sessionId, recorderId, from: iso(from), to: iso(to), endReason };
    const interval = this.#interval;
    if (interval) this.#interval = { ...interval, from: Math.max(interval.from, to) };
    this.#unwritten.push(() => this.#queries.cutIntervals(cut));
  }

  /** It was heard until `to`, or, if that is earlier, until it began to be heard; for `endReason` no longer. */
  endInterval(to: number, endReason: string): void {
    const interval = this.#interval;
    if (!interval) return;
    this.#interval = undefined;
    const end = { sessionId: this.#key.sessionId, id: interval.id, toAt: iso(to), endReason };
    this.#unwritten.push(() => this.#queries.closeInterval(end));
  }

  /**
   * Writes what is not written yet, and gives whether that changes what was heard when; not to be called again before it
   * has ended. Throws when the database is away.
   */
  async write(): Promise<boolean> {
    for (let next = this.#unwritten[0]; next; next = this.#unwritten[0]) {
      await next();
      this.#unwritten.shift();
      this.#hasNews = true;
    }
    const state = this.#state;
    if (state) await this.#queries.updateSlot(this.#key, state);
    if (this.#state === state) this.#state = undefined;
    const hasNews = this.#hasNews;
    this.#hasNews = false;
    return hasNews;
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
