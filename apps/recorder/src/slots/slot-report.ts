import { classOfError, type SlotKey } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { RecorderQueries } from '../queries.ts';
import type { RecordingReport, RecordingState } from '../session/recording-report.ts';
import type { IntervalEnd, KnownEnds } from './known-ends.ts';

export type SlotReportQueries = Pick<
  RecorderQueries,
  'endInterval' | 'cutIntervals' | 'insertInterval' | 'insertGapStart' | 'updateSlot'
>;

/** `beganAt` is never moved by a cut. Times are milliseconds since the epoch. */
export interface EndedInterval extends IntervalEnd {
  readonly id: string;
  readonly beganAt: number;
}

export class SlotReport implements RecordingReport {
  readonly #queries: SlotReportQueries;
  readonly #ends: KnownEnds;
  readonly #unwritten: (() => Promise<void>)[] = [];
  readonly #unwrittenEnds = new Set<EndedInterval>();
  readonly #unwrittenCuts = new Set<{ readonly from: number }>();
  #key: SlotKey;
  #state: RecordingState | undefined;
  #intervalsChanged = false;
  #interval: { readonly id: string; readonly beganAt: number; readonly from: number } | undefined;

  constructor(queries: SlotReportQueries, key: SlotKey, ends: KnownEnds) {
    this.#queries = queries;
    this.#key = key;
    this.#ends = ends;
  }

  get key(): SlotKey {
    return this.#key;
  }

  get coveredSince(): number | undefined {
    return this.#interval?.from;
  }

  get beganAt(): number | undefined {
    return this.#interval?.beganAt;
  }

  get intervalId(): string | undefined {
    return this.#interval?.id;
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.length > 0;
  }

  get isIntervalWritten(): boolean {
    return this.#interval !== undefined && !this.hasUnwritten;
  }

  get unwrittenEnds(): readonly EndedInterval[] {
    return [...this.#unwrittenEnds];
  }

  get uncutSince(): number {
    return Math.min(...Array.from(this.#unwrittenCuts, ({ from }) => from));
  }

  renew(slotEpoch: number): void {
    this.#key = { ...this.#key, epoch: slotEpoch };
  }

  setState(state: RecordingState): void {
    this.#state = state;
  }

  insertGapStart(from: number, coveredFrom: number): void {
    const { sessionId, recorderId } = this.#key;
    const mark = { sessionId, id: uuidv7(), recorderId, at: iso(from), before: iso(coveredFrom) };
    this.#unwritten.push(() => this.#queries.insertGapStart(mark));
  }

  /**
   * Begins an interval. If other recorders have ended the open interval, this recorder received everything in that interval
   * until `from`.
   */
  beginInterval(from: number): void {
    const former = this.#interval;
    if (former) this.#ends.add(former.id, { to: from, endReason: 'connection_lost' });
    const interval = { id: uuidv7(), beganAt: from, from };
    this.#interval = interval;
    const { sessionId, recorderId } = this.#key;
    const row = { sessionId, id: interval.id, recorderId, fromAt: iso(from) };
    this.#unwritten.push(() => this.#queries.insertInterval(row));
  }

  cutInterval(from: number, to: number, endReason: string): void {
    const { sessionId, recorderId } = this.#key;
    const cut = { sessionId, recorderId, from: iso(from), to: iso(to), endReason };
    const interval = this.#interval;
    if (interval) this.#interval = { ...interval, from: Math.max(interval.from, to) };
    this.#cut(cut, from);
  }

  cutAllIntervals(from: number, to: number, endReason: string): void {
    const { sessionId } = this.#key;
    const cut = { sessionId, recorderId: null, from: iso(from), to: iso(to), endReason };
    this.#cut(cut, from);
  }

  endInterval(to: number, endReason: string): void {
    const interval = this.#interval;
    if (!interval) return;
    this.#interval = undefined;
    const { id, beganAt } = interval;
    const ended = { id, beganAt, to, endReason };
    this.#unwrittenEnds.add(ended);
    this.#ends.add(id, { to, endReason });
    this.#unwritten.push(async () => {
      await this.#end(id, ended);
      this.#unwrittenEnds.delete(ended);
    });
  }

  endAgain(id: string): void {
    const end = this.#ends.get(id);
    this.#unwritten.push(() => this.#end(id, end));
  }

  /**
   * Returns whether the intervals changed since the last call, which must have ended. Throws when the database is away. What
   * the database never takes is thrown too, but only after the rest is written.
   */
  async write(): Promise<boolean> {
    let refusal: unknown;
    for (let next = this.#unwritten[0]; next; next = this.#unwritten[0]) {
      await next().catch((error: unknown) => {
        if (classOfError(error) !== 'value') throw error;
        refusal ??= error;
      });
      this.#unwritten.shift();
      this.#intervalsChanged = true;
    }
    const state = this.#state;
    if (state) await this.#queries.updateSlot(this.#key, state);
    if (this.#state === state) this.#state = undefined;
    if (refusal) throw refusal;
    const intervalsChanged = this.#intervalsChanged;
    this.#intervalsChanged = false;
    return intervalsChanged;
  }

  async #end(id: string, { to, endReason }: IntervalEnd) {
    const { sessionId } = this.#key;
    await this.#queries.endInterval({ sessionId, id, toAt: iso(to), endReason });
  }

  #cut(row: Parameters<SlotReportQueries['cutIntervals']>[0], from: number): void {
    const cut = { from };
    this.#unwrittenCuts.add(cut);
    this.#unwritten.push(async () => {
      await this.#queries.cutIntervals(row);
      this.#unwrittenCuts.delete(cut);
    });
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
