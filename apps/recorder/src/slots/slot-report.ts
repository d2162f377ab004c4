import type { SlotKey } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { RecorderQueries } from '../queries.ts';
import type { RecordingReport, RecordingState } from '../session/recording-report.ts';

export type SlotReportQueries = Pick<
  RecorderQueries,
  'endInterval' | 'cutIntervals' | 'insertInterval' | 'insertGapStart' | 'updateSlot'
>;

export class SlotReport implements RecordingReport {
  readonly #queries: SlotReportQueries;
  readonly #unwritten: (() => Promise<void>)[] = [];
  #key: SlotKey;
  #state: RecordingState | undefined;
  #intervalsChanged = false;
  #interval: { readonly id: string; readonly from: number } | undefined;

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

  get intervalId(): string | undefined {
    return this.#interval?.id;
  }

  get isIntervalWritten(): boolean {
    return this.#interval !== undefined && this.#unwritten.length === 0;
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
    const interval = { id: uuidv7(), from };
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
    this.#unwritten.push(() => this.#queries.cutIntervals(cut));
  }

  cutAllIntervals(from: number, to: number, endReason: string): void {
    const { sessionId } = this.#key;
    const cut = { sessionId, recorderId: null, from: iso(from), to: iso(to), endReason };
    this.#unwritten.push(() => this.#queries.cutIntervals(cut));
  }

  endInterval(to: number, endReason: string): void {
    const interval = this.#interval;
    if (!interval) return;
    this.#interval = undefined;
    const end = { sessionId: this.#key.sessionId, id: interval.id, toAt: iso(to), endReason };
    this.#unwritten.push(() => this.#queries.endInterval(end));
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
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
