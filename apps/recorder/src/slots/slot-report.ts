import type { SlotKey } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { RecorderQueries } from '../queries.ts';
import type { RecordingReport, RecordingState } from '../session/recording-report.ts';

export type SlotReportQueries = Pick<
  RecorderQueries,
  'endInterval' | 'cutIntervals' | 'insertInterval' | 'insertGapStart' | 'updateSlot'
>;

/** `beganAt` is never moved by a cut. Times are milliseconds since the epoch. */
export interface EndedInterval {
  readonly id: string;
  readonly beganAt: number;
  readonly to: number;
  readonly endReason: string;
}

export class SlotReport implements RecordingReport {
  readonly #queries: SlotReportQueries;
  readonly #unwritten: (() => Promise<void>)[] = [];
  readonly #unwrittenEnds = new Set<EndedInterval>();
  readonly #unwrittenCuts = new Set<{ readonly from: number }>();
  #key: SlotKey;
  #state: RecordingState | undefined;
  #intervalsChanged = false;
  #interval: { readonly id: string; readonly beganAt: number; readonly from: number } | undefined;

  constructor(queries: SlotReportQueries, key: SlotKey) {
    this.#queries = queries;
    this.#key = key;
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

  /** Whether the database lacks something about the intervals. */
  get hasUnwritten(): boolean {
    return this.#unwritten.length > 0;
  }

  get isIntervalWritten(): boolean {
    return this.#interval !== undefined && !this.hasUnwritten;
  }

  /** The intervals whose ends the database does not have. */
  get unwrittenEnds(): readonly EndedInterval[] {
    return [...this.#unwrittenEnds];
  }

  /** The beginning of the first cut that the database does not have; `Infinity` without one. */
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

  beginInterval(from: number): void {
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
    const end = { sessionId: this.#key.sessionId, id: interval.id, toAt: iso(to), endReason };
    this.#unwritten.push(async () => {
      await this.#queries.endInterval(end);
      this.#unwrittenEnds.delete(ended);
    });
  }

  /** Returns whether the intervals changed since the last call, which must have ended. Throws when the database is away. */
  async write(): Promise<boolean> {
    for (let next = this.#unwritten[0]; next; next = this.#unwritten[0]) {
      await next();
      this.#unwritten.shift();
      this.#intervalsChanged = true;
    }
    const state = this.#state;
    if (state) await this.#queries.updateSlot(this.#key, state);
    if (this.#state === state) this.#state = undefined;
    const intervalsChanged = this.#intervalsChanged;
    this.#intervalsChanged = false;
    return intervalsChanged;
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
