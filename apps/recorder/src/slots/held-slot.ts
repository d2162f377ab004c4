import { classOfError, type ListedSlotRow } from '@session/db';
import type { Logger } from 'pino';
import type { RecorderQueries } from '../queries.ts';
import type { Ending } from '../session/ending.ts';
import type { SessionRecording } from '../session/session-recording.ts';
import type { KeptInterval } from './outage-record.ts';
import type { SlotReport } from './slot-report.ts';
import { type HeldSlotState, mayProceed, type SlotEnd } from './slot-state.ts';
import type { OpenInterval } from './stored-progress.ts';

const FIRST_LOCK_PAUSE_MS = 1000;
const MAX_LOCK_PAUSE_MS = 30_000;

interface HeldSlotDeps {
  readonly recording: Recording;
  readonly report: Pick<
    SlotReport,
    | 'beganAt'
    | 'coveredSince'
    | 'hasUnwritten'
    | 'intervalId'
    | 'isIntervalWritten'
    | 'key'
    | 'renew'
    | 'uncutSince'
    | 'unwrittenEnds'
    | 'write'
  >;
  readonly queries: Pick<RecorderQueries, 'giveUpSlot' | 'releaseSlot'>;
  readonly log: Logger;
  readonly changed: () => void;
}

type Recording = Pick<
  SessionRecording,
  | 'attempts'
  | 'cut'
  | 'end'
  | 'failure'
  | 'follow'
  | 'isCatchingUp'
  | 'isEmpty'
  | 'oldestKeptAt'
  | 'receivedUntil'
  | 'reportState'
  | 'state'
  | 'undecidedSince'
>;

export interface SlotWritten {
  readonly isSettled: boolean;
  readonly intervalsChanged: boolean;
}

export class HeldSlot {
  readonly recording: Recording;
  readonly #deps: HeldSlotDeps;
  #state: HeldSlotState = 'held';
  #end: SlotEnd | undefined;
  #ended: Promise<void> | undefined;
  #lockPauseMs = FIRST_LOCK_PAUSE_MS;
  #lockedUntil = 0;

  constructor(deps: HeldSlotDeps) {
    this.recording = deps.recording;
    this.#deps = deps;
  }

  get sessionId(): string {
    return this.#deps.report.key.sessionId;
  }

  get state(): HeldSlotState {
    return this.#state;
  }

  get hasUnwritten(): boolean {
    return this.#deps.report.hasUnwritten;
  }

  get isEmpty(): boolean {
    return this.#state === 'held' && this.recording.isEmpty;
  }

  /**
   * When the oldest kept message was received. A message in a gap does not count, because it must not shorten the
   * intervals of other sessions.
   */
  get oldestCoveredKeptAt(): number {
    const { beganAt, unwrittenEnds } = this.#deps.report;
    const { oldestKeptAt } = this.recording;
    // The database still has an ended interval as open.
    if (unwrittenEnds.length > 0) return oldestKeptAt;
    // No cut moves `beganAt`: what was kept before a cut must still be stored, in a time that counts as covered.
    return beganAt === undefined ? Infinity : Math.max(oldestKeptAt, beganAt);
  }

  get openInterval(): OpenInterval | undefined {
    const { coveredSince: from, intervalId, isIntervalWritten: isWritten } = this.#deps.report;
    if (intervalId === undefined || from === undefined) return undefined;
    const { undecidedSince } = this.recording;
    return { sessionId: this.sessionId, intervalId, from, isWritten, undecidedSince };
  }

  /**
   * Returns the intervals that the database lacks, or has as open, each with the time until which everything received
   * in it is stored or in the spool. `inMemorySince`: since when the history writer has words that are only in memory.
   */
  keptIntervals(now: number, inMemorySince: number): KeptInterval[] {
    const { beganAt, intervalId, uncutSince, unwrittenEnds } = this.#deps.report;
    const { oldestKeptAt, receivedUntil, undecidedSince } = this.recording;
    const limit = Math.min(uncutSince, inMemorySince, undecidedSince, oldestKeptAt, receivedUntil);
    const open = { id: intervalId, beganAt, to: now, endReason: 'recorder_died' };
    const notedAt = new Date(now).toISOString();
    return [...unwrittenEnds, open].flatMap(({ id, beganAt: from, to, endReason }) => {
      if (id === undefined || from === undefined) return [];
      const fromAt = new Date(from).toISOString();
      const keptUntil = new Date(Math.min(to, limit)).toISOString();
      return [{ sessionId: this.sessionId, id, fromAt, keptUntil, endReason, notedAt }];
    });
  }

  async follow(slot: ListedSlotRow): Promise<void> {
    const { report } = this.#deps;
    if (slot.epoch !== report.key.epoch) {
      report.renew(slot.epoch);
      this.recording.reportState();
    }
    await this.recording.follow(slot);
  }

  end(end: SlotEnd, ending: Ending): void {
    if (this.#state !== 'held') return;
    this.#set('ending');
    this.#end = end;
    const { sessionId } = this;
    this.#ended = this.recording
      .end(ending)
      .catch((err: unknown) => this.#deps.log.error({ err, sessionId }, 'ending recording failed'))
      .finally(() => {
        this.#set('ended');
        this.#deps.changed();
      });
  }

  async ended(): Promise<void> {
    await this.#ended;
  }

  /**
   * Writes what the database lacks. Throws when the database is away; any other error concerns only this slot, and is
   * logged. While another transaction locks the slot's rows, or after an unknown error, the slot is written later.
   */
  async write(): Promise<SlotWritten> {
    const { report, log } = this.#deps;
    const waiting = { isSettled: false, intervalsChanged: false };
    if (performance.now() < this.#lockedUntil) return waiting;
    let intervalsChanged = false;
    try {
      // A replaced process would write in the name of the process that replaced it.
      intervalsChanged = this.#end !== 'replaced' && (await report.write());
      if (this.#state === 'ended') await this.#settle();
      this.#lockPauseMs = FIRST_LOCK_PAUSE_MS;
    } catch (error) {
      const errorClass = classOfError(error);
      if (errorClass === 'away') throw error;
      if (errorClass !== 'value') {
        this.#pauseWriting(error);
        return { ...waiting, intervalsChanged };
      }
      log.error({ err: error, sessionId: this.sessionId }, 'writing slot failed');
      intervalsChanged = false;
    }
    if (this.#state === 'ended') this.#set('settled');
    return { isSettled: this.#state === 'settled', intervalsChanged };
  }

  #pauseWriting(err: unknown): void {
    const pauseMs = this.#lockPauseMs;
    const { sessionId } = this;
    const level = classOfError(err) === 'session' ? 'warn' : 'error';
    this.#deps.log[level]({ err, sessionId, pauseMs }, 'slot not written; writing it later');
    this.#lockedUntil = performance.now() + pauseMs;
    this.#lockPauseMs = Math.min(2 * pauseMs, MAX_LOCK_PAUSE_MS);
  }

  async #settle(): Promise<void> {
    const { queries, report } = this.#deps;
    const { attempts, failure } = this.recording;
    if (this.#end === 'lost') await queries.giveUpSlot(report.key, attempts, failure ?? '');
    if (this.#end === 'released') await queries.releaseSlot(report.key);
  }

  #set(state: HeldSlotState): void {
    if (!mayProceed(this.#state, state)) throw new Error(`no step from ${this.#state} to ${state}`);
    this.#state = state;
  }
}

export function standbyAtOf(slots: readonly HeldSlot[]): string | null {
  const oldest = Math.min(...slots.map(({ oldestCoveredKeptAt }) => oldestCoveredKeptAt));
  return oldest === Infinity ? null : new Date(oldest).toISOString();
}
