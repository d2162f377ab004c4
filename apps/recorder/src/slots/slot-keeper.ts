import { classOfError, type HeartbeatAnswer, type ListedSlotRow, type SlotRow } from '@session/db';
import { aborted } from '@session/kit';
import type { Logger } from 'pino';
import type { PendingMessages } from '../message-path.ts';
import type { EndingReason } from '../process/end-reasons.ts';
import type { RecorderClock } from '../process/recorder-clock.ts';
import type { RecorderQueries } from '../queries.ts';
import type { ConnectionState } from '../room/connection-state.ts';
import type { Ending } from '../session/ending.ts';
import type { RecordingReport } from '../session/recording-report.ts';
import type { SessionRecording } from '../session/session-recording.ts';
import type { Timing } from '../timing.ts';
import { type ClaimDeps, SlotClaims } from './claim.ts';
import { DatabaseWatch } from './database-watch.ts';
import type { GapReport } from './gap-report.ts';
import { GiveWay, type GiveWayDeps } from './give-way.ts';
import { handOver } from './hand-over.ts';
import { Heartbeat, type RecorderState } from './heartbeat.ts';
import { HeldSlot, standbyAtOf } from './held-slot.ts';
import { KnownEnds } from './known-ends.ts';
import type { KeptInterval } from './outage-record.ts';
import { Rounds } from './rounds.ts';
import { SlotReport } from './slot-report.ts';
import type { SlotEnd } from './slot-state.ts';
import { StoredProgress } from './stored-progress.ts';

export interface SlotKeeperDeps extends ClaimDeps, Pick<GiveWayDeps, 'rooms'> {
  readonly recorderEpoch: number;
  readonly queries: RecorderQueries;
  readonly log: Logger;
  readonly gaps: GapReport;
  readonly writer: PendingMessages;
  readonly startRecording: (sessionId: string, report: RecordingReport) => SessionRecording;
  webhookAt(): string | null;
  readonly heartbeatAnswered: (answer: HeartbeatAnswer) => void;
  readonly clock: RecorderClock;
  readonly timing: Timing;
}

/**
 * Decides which sessions this process records. A round compares the database with the recordings, and makes all writes about
 * slots. Rounds never overlap, and neither do claims. The next round starts after `pollMs`, or at once when it is woken.
 */
export class SlotKeeper {
  readonly #deps: SlotKeeperDeps;
  readonly #held = new Map<string, HeldSlot>();
  readonly #ends = new KnownEnds();
  readonly #ending = new AbortController();
  readonly #fenced = new AbortController();
  readonly #database: DatabaseWatch;
  readonly #claims: SlotClaims;
  readonly #giveWay: GiveWay;
  readonly #heartbeat: Heartbeat;
  readonly #progress: StoredProgress;
  readonly #rounds: Rounds;
  #isDraining = false;

  constructor(deps: SlotKeeperDeps) {
    this.#deps = deps;
    this.#database = new DatabaseWatch(deps.log, deps.timing.graceMs);
    this.#progress = new StoredProgress(deps.queries, deps.timing);
    this.#claims = new SlotClaims(deps);
    this.#giveWay = new GiveWay(deps);
    this.#heartbeat = new Heartbeat({
      ...deps,
      state: () => this.#state(),
      answered: deps.heartbeatAnswered,
      replaced: () => this.#replaced(),
    });
    this.#rounds = new Rounds({
      round: () => this.#round(),
      pollMs: () => this.#pollMs,
      awayMs: deps.timing.pollMs / 4,
      database: this.#database,
      ending: this.#ending.signal,
    });
  }

  get isDatabaseOk(): boolean {
    return this.#database.isOk;
  }

  get unclaimableSessions(): number {
    return this.#claims.unclaimable;
  }

  get fenced(): AbortSignal {
    return this.#fenced.signal;
  }

  countStates(): Partial<Record<ConnectionState, number>> {
    const counts: Partial<Record<ConnectionState, number>> = {};
    for (const { recording } of this.#held.values()) {
      counts[recording.state] = (counts[recording.state] ?? 0) + 1;
    }
    return counts;
  }

  stalled(from: number, to: number): void {
    for (const { recording } of this.#held.values()) recording.cut(from, to, 'stalled');
    this.wake();
  }

  wake(): void {
    this.#rounds.wake();
  }

  async verify(): Promise<void> {
    await this.#rounds.verify();
  }

  hasUnwritten(sessionId: string): boolean {
    return this.#held.get(sessionId)?.hasUnwritten ?? false;
  }

  async firstRound(signal: AbortSignal): Promise<void> {
    while (!this.isDatabaseOk && !signal.aborted && !this.#ending.signal.aborted) {
      await this.#rounds.done(signal);
    }
  }

  /**
   * Claims nothing more, hands all sessions over, and releases the slots. Resolves when that is done or `signal`
   * aborts. `cutShort` ends the wait for other recorders and text streams.
   */
  async drain(signal: AbortSignal, cutShort: AbortSignal): Promise<void> {
    this.#isDraining = true;
    const { drainMs } = this.#deps.timing;
    const deadline = performance.now() + drainMs;
    const ending = (coveredSince?: number): Ending => {
      const maxWaitMs = deadline - performance.now();
      return { reason: 'recorder_stopped', quietMs: 0, maxWaitMs, cutShort, coveredSince };
    };
    const until = AbortSignal.any([signal, cutShort, this.fenced, AbortSignal.timeout(drainMs)]);
    const handingOver = handOver(
      {
        ...this.#deps,
        announce: () => this.#heartbeat.beat(),
        mayDeclareDead: () => this.#database.mayDeclareDead,
        list: () => [...this.#held.values()],
        end: (sessionId, coveredSince) =>
          this.#held.get(sessionId)?.end('released', ending(coveredSince)),
      },
      until,
    );
    await Promise.race([handingOver, aborted(until)]);
    this.#endAll('released', ending());
    while (this.#held.size > 0 && !this.fenced.aborted && !signal.aborted) {
      await this.#rounds.done(signal);
    }
    // The messages of a fenced recorder are stored like any other's.
    const ends = Array.from(this.#held.values(), (slot) => slot.ended());
    await Promise.race([Promise.all(ends), aborted(signal)]);
    this.#ending.abort();
    await Promise.race([this.#end(), aborted(signal)]);
  }

  async #end(): Promise<void> {
    await this.#rounds.ended();
    await this.#heartbeat.end();
  }

  get #pollMs(): number {
    const { pollMs, heartbeatMs } = this.#deps.timing;
    const slots = [...this.#held.values()];
    const { graceLeftMs } = this.#database;
    if (slots.some(({ recording }) => recording.isCatchingUp)) return heartbeatMs;
    return graceLeftMs > 0 ? Math.min(pollMs, graceLeftMs + 1) : pollMs;
  }

  async #round(): Promise<void> {
    const { queries, gaps, recorderId, recorderEpoch } = this.#deps;
    for (const slot of this.#held.values()) await this.#write(slot);
    if (this.fenced.aborted) return;
    const { mayDeclareDead } = this.#database;
    if (mayDeclareDead) for (const id of await queries.endDeadIntervals()) gaps.add(id);
    if (!this.#isDraining) await this.#claim(mayDeclareDead);
    await this.#reconcile(await queries.listSlots(recorderId, recorderEpoch, mayDeclareDead));
    await gaps.write();
  }

  async #claim(fromDead: boolean): Promise<void> {
    await this.#claims.claimAll(this.#held.size, fromDead);
    if (this.unclaimableSessions === 0) return;
    for (const id of await this.#giveWay.move([...this.#held.values()], fromDead)) {
      this.#held.get(id)?.end('claimed_by_other', this.#endingNow('gave_way'));
    }
  }

  keptSince(sessionId: string | null): number {
    const recordings = this.#recordingsOf(sessionId);
    return Math.min(...recordings.map(({ oldestKeptAt }) => oldestKeptAt));
  }

  undecidedSince(sessionId: string | null): number {
    const recordings = this.#recordingsOf(sessionId);
    return Math.min(...recordings.map(({ undecidedSince }) => undecidedSince));
  }

  #recordingsOf(sessionId: string | null): HeldSlot['recording'][] {
    const held = sessionId === null ? [...this.#held.values()] : [this.#held.get(sessionId)];
    return held.flatMap((slot) => slot?.recording ?? []);
  }

  async #state(): Promise<RecorderState> {
    const now = this.#deps.clock.now();
    const { waiting } = this.#deps.writer;
    const intervals = [...this.#held.values()].flatMap((slot) => slot.openInterval ?? []);
    const state = {
      load: this.#held.size,
      isDraining: this.#isDraining,
      standbyAt: standbyAtOf([...this.#held.values()]),
      webhookAt: this.#deps.webhookAt(),
    };
    const flushedAt = await this.#progress.update({ now, waiting, intervals });
    return { ...state, flushedAt: new Date(flushedAt).toISOString() };
  }

  keptIntervals(inMemorySince: number): KeptInterval[] {
    const now = this.#deps.clock.now();
    return [...this.#held.values()].flatMap((slot) => slot.keptIntervals(now, inMemorySince));
  }

  #replaced(): void {
    this.#deps.log.error('stopping: another process has started with this recorder id');
    this.#fenced.abort();
    const { signal: cutShort } = this.#fenced;
    this.#endAll('replaced', { reason: 'recorder_replaced', quietMs: 0, maxWaitMs: 0, cutShort });
  }

  async #write(slot: HeldSlot): Promise<void> {
    if (slot.recording.state === 'lost') slot.end('lost', this.#endingNow('lost'));
    const { isSettled, intervalsChanged } = await slot.write();
    if (intervalsChanged) this.#deps.gaps.add(slot.sessionId);
    if (!isSettled) return;
    this.#held.delete(slot.sessionId);
    this.#deps.gaps.forget(slot.sessionId);
  }

  async #reconcile(rows: readonly ListedSlotRow[]): Promise<void> {
    for (const row of rows) {
      const slot = this.#held.get(row.sessionId);
      if (row.sessionStatus === 'CLOSED') {
        if (slot) slot.end('closed', this.#endingWhenQuiet());
        else await this.#remove(row);
      } else if (slot) await slot.follow(row);
      else if (!this.#isDraining) this.#begin(row);
    }
    // While this recorder drains, others may claim its slots. It records each session until another recorder covers it.
    if (this.#isDraining) return;
    const listed = new Set(rows.map(({ sessionId }) => sessionId));
    for (const [sessionId, slot] of this.#held) {
      if (listed.has(sessionId) || slot.state !== 'held') continue;
      this.#deps.log.info(
        { sessionId },
        'ending recording: slot claimed by another recorder, or session deleted',
      );
      slot.end('claimed_by_other', this.#endingNow('taken_over'));
    }
  }

  /** Deletes the slot once its last gap is stored. Joining the room of a closed session would create the room again. */
  async #remove(row: SlotRow): Promise<void> {
    const { recorderId, queries, gaps, writer } = this.#deps;
    const { sessionId } = row;
    gaps.add(sessionId);
    await gaps.write();
    if (writer.has(sessionId)) return;
    try {
      await queries.deleteSlot({ ...row, recorderId });
      gaps.forget(sessionId);
    } catch (error) {
      // A later round deletes it.
      if (classOfError(error) !== 'session') throw error;
    }
  }

  #begin({ sessionId, slotNumber, epoch: slotEpoch }: SlotRow): void {
    const { startRecording, queries, log, recorderId } = this.#deps;
    const key = { sessionId, slotNumber, recorderId, epoch: slotEpoch };
    const report = new SlotReport(queries, key, this.#ends);
    const recording = startRecording(sessionId, report);
    const changed = () => this.wake();
    this.#held.set(sessionId, new HeldSlot({ recording, report, queries, log, changed }));
  }

  #endAll(end: SlotEnd, ending: Ending): void {
    for (const slot of this.#held.values()) slot.end(end, ending);
  }

  #endingWhenQuiet(): Ending {
    const { quietMs, closeMs: maxWaitMs } = this.#deps.timing;
    return { reason: 'session_closed', quietMs, maxWaitMs, cutShort: this.#ending.signal };
  }

  #endingNow(reason: EndingReason): Ending {
    return { reason, quietMs: 0, maxWaitMs: 0, cutShort: this.#ending.signal };
  }
}
