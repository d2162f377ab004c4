import { EventEmitter, once } from 'node:events';
import type {
  ListedSlotRow,
  RecorderQueries,
  RecordingIntervalQueries,
  SlotQueries,
  SlotRow,
} from '@session/db';
import { aborted, pause } from '@session/kit';
import type { ConnectionState } from '../room/connection-state.ts';
import type { Timing } from '../timing.ts';
import { Assignment, type Outcome } from './held-slot.ts';
import { type ClaimDeps, claimSlots } from './claim.ts';
import type { GapReport } from './gap-report.ts';
import { handOver } from './hand-over.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Ending, SessionRecording } from '../session/session-recording.ts';

export interface AssignmentDeps extends ClaimDeps {
  readonly epoch: number;
  readonly queries: SlotQueries &
    Pick<RecordingIntervalQueries, 'closeDeadIntervals'> &
    Pick<RecorderQueries, 'listHandedOver' | 'updateHeartbeat' | 'wakeRecorders'>;
  readonly gaps: GapReport;
  /** Whether anything of a session waits to be stored. */
  readonly isWaiting: (sessionId: string) => boolean;
  /** Begins to record what the slot is for. */
  readonly record: (slot: SlotRow) => SessionRecording;
  /** Milliseconds since the epoch: all that was received before is stored, what the recordings hold back apart. */
  flushedAt(): number;
  readonly timing: Timing;
}

/**
 * Which sessions this process records. One round after another compares what the database says with what is done: at
 * once when something may have changed, else every `pollMs`. All that is written about slots is written here, so never two
 * claims at a time.
 */
export class Assignments {
  readonly #deps: AssignmentDeps;
  readonly #assignments = new Map<string, Assignment>();
  readonly #rounds = new EventEmitter().setMaxListeners(0);
  readonly #ending = new AbortController();
  readonly #fenced = new AbortController();
  readonly #running: Promise<void>;
  #waking = new AbortController();
  #begun = 0;
  #done = 0;
  #isDraining = false;
  #isDatabaseOk = false;
  /** When a round last failed to reach the database. */
  #failedAt = Number.NEGATIVE_INFINITY;
  readonly #heartbeat: Heartbeat;

  constructor(deps: AssignmentDeps) {
    this.#deps = deps;
    this.#heartbeat = new Heartbeat({
      ...deps,
      state: () => ({
        load: this.#assignments.size,
        isDraining: this.#isDraining,
        flushedAt: new Date(this.#flushedAt()).toISOString(),
        standbyAt: this.#standbyAt(),
      }),
      replaced: () => this.#replaced(),
    });
    this.#running = this.#run();
  }

  /** Whether the last round reached the database. */
  get isDatabaseOk(): boolean {
    return this.#isDatabaseOk;
  }

  /** Aborts when another process has started as this recorder: it has all our sessions. */
  get fenced(): AbortSignal {
    return this.#fenced.signal;
  }

  /** How many sessions are in which state. */
  countStates(): Partial<Record<ConnectionState, number>> {
    const counts: Partial<Record<ConnectionState, number>> = {};
    for (const { recording } of this.#assignments.values()) {
      counts[recording.state] = (counts[recording.state] ?? 0) + 1;
    }
    return counts;
  }

  /** From `from` to `to` (milliseconds since the epoch) this process did nothing: nor did it hear anything. */
  stalled(from: number, to: number): void {
    for (const { recording } of this.#assignments.values()) recording.cut(from, to, 'stalled');
    this.wake();
  }

  /** Makes the next round begin now. */
  wake(): void {
    this.#waking.abort();
  }

  /** Resolves when a round is done that began after this call, whether or not the database answered. */
  async verify(): Promise<void> {
    const target = this.#begun + 1;
    this.wake();
    while (this.#done < target && !this.#ending.signal.aborted) {
      await once(this.#rounds, 'done', { signal: this.#ending.signal }).catch(() => {});
    }
  }

  /** Resolves when all that may be claimed is claimed for the first time, or when `signal` aborts. */
  async claimed(signal: AbortSignal): Promise<void> {
    while (!this.#isDatabaseOk && !signal.aborted && !this.#ending.signal.aborted) {
      await once(this.#rounds, 'done', { signal }).catch(() => {});
    }
  }

  /**
   * Claims nothing more, hands all sessions over to other recorders where there are any, and frees their slots; those of a
   * fenced recorder are not its own. Resolves when that is done, or when `signal` aborts, whatever the database does; `hurry`
   * cuts the wait for others, and for open texts, short.
   */
  async drain(signal: AbortSignal, hurry: AbortSignal): Promise<void> {
    this.#isDraining = true;
    const { drainMs } = this.#deps.timing;
    const deadline = performance.now() + drainMs;
    const ending = (heardSince?: number) => {
      const patienceMs = deadline - performance.now();
      return { reason: 'recorder_stopped', quietMs: 0, patienceMs, hurry, heardSince };
    };
    const until = AbortSignal.any([signal, hurry, this.fenced, AbortSignal.timeout(drainMs)]);
    const handing = handOver(
      {
        ...this.#deps,
        announce: () => this.#heartbeat.beat(),
        list: () => [...this.#assignments.values()],
        end: (assignment, heardSince) => assignment.end('released', ending(heardSince)),
      },
      until,
    );
    await Promise.race([handing, aborted(until)]);
    this.#endAll('released', ending());
    while (this.#assignments.size > 0 && !this.fenced.aborted && !signal.aborted) {
      await once(this.#rounds, 'done', { signal }).catch(() => {});
    }
    // What a fenced recorder has heard is stored like any other's.
    const ends = Array.from(this.#assignments.values(), (one) => one.ended());
    await Promise.race([Promise.all(ends), aborted(signal)]);
    this.#ending.abort();
    this.wake();
    await Promise.race([this.#running, aborted(signal)]);
  }

  async #run(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      this.#waking = new AbortController();
      this.#begun += 1;
      try {
        await this.#round();
        this.#noteDatabase(true);
      } catch (error) {
        this.#noteDatabase(false, error);
      }
      this.#done = this.#begun;
      this.#rounds.emit('done');
      // A database that is away is not asked more often for being woken.
      if (!this.#isDatabaseOk) await pause(this.#deps.timing.pollMs / 4, this.#ending.signal);
      await pause(this.#patienceMs, this.#waking.signal);
    }
    await this.#heartbeat.end();
  }

  /** How long until the next round, if nothing happens. */
  get #patienceMs(): number {
    const { pollMs, heartbeatMs } = this.#deps.timing;
    const all = [...this.#assignments.values()];
    return all.some(({ recording }) => recording.isFollowing) ? heartbeatMs : pollMs;
  }

  async #round(): Promise<void> {
    const { queries, gaps, recorderId, epoch } = this.#deps;
    for (const assignment of this.#assignments.values()) await this.#write(assignment);
    if (this.fenced.aborted) return;
    if (this.#mayJudge) for (const id of await queries.closeDeadIntervals()) gaps.add(id);
    if (!this.#isDraining) await claimSlots(this.#deps, this.#assignments.size, this.#mayJudge);
    await this.#compare(await queries.listSlots(recorderId, epoch));
    await gaps.write();
  }

  /** All that was received before this is stored. */
  #flushedAt(): number {
    const held = Array.from(this.#assignments.values(), ({ recording }) => recording.oldestAt);
    return held.reduce((a: number, b) => Math.min(a, b ?? a), this.#deps.flushedAt());
  }

  #standbyAt(): string | null {
    const kept = Array.from(this.#assignments.values(), ({ recording }) => recording.standbyAt);
    const oldest = Math.min(...kept.filter((at) => at !== undefined));
    return Number.isFinite(oldest) ? new Date(oldest).toISOString() : null;
  }

  #replaced(): void {
    this.#deps.log.error('another process has started as this recorder: this one stops');
    this.#fenced.abort();
    const { signal: hurry } = this.#fenced;
    const ending = { reason: 'recorder_replaced', quietMs: 0, patienceMs: 0, hurry };
    this.#endAll('replaced', ending);
  }

  async #write(assignment: Assignment): Promise<void> {
    const { recording } = assignment;
    const { sessionId } = recording.key;
    if (recording.state === 'lost') assignment.end('lost', { ...this.#now(), reason: 'lost' });
    const { isSettled, hasNews } = await assignment.write();
    if (hasNews) this.#deps.gaps.add(sessionId);
    if (isSettled) this.#forget(sessionId);
  }

  #forget(sessionId: string): void {
    this.#assignments.delete(sessionId);
    this.#deps.gaps.forget(sessionId);
  }

  /** After a failure of the database all others look dead, until they too have reached it again. */
  get #mayJudge(): boolean {
    return performance.now() - this.#failedAt >= this.#deps.timing.graceMs;
  }

  /** Makes what is recorded what `slots` says: they are all that this recorder holds. */
  async #compare(slots: readonly ListedSlotRow[]): Promise<void> {
    for (const slot of slots) {
      const assignment = this.#assignments.get(slot.sessionId);
      if (slot.sessionStatus === 'CLOSED') {
        if (assignment) assignment.end('closed', this.#whenQuiet());
        else await this.#remove(slot);
      } else if (assignment) await assignment.recording.compare(slot);
      else if (!this.#isDraining) this.#begin(slot);
    }
    const held = new Set(slots.map(({ sessionId }) => sessionId));
    for (const [sessionId, assignment] of this.#assignments) {
      // Who drains has given all of them away, and stays until each is heard by another.
      if (held.has(sessionId) || assignment.isEnding || this.#isDraining) continue;
      this.#deps.log.info({ sessionId }, 'another recorder has the session, or it is deleted');
      assignment.end('taken', { ...this.#now(), reason: 'taken_over' });
    }
  }

  /** Removes a slot that is over: to join its room would bring that back. Its last gap is stored before. */
  async #remove(slot: SlotRow): Promise<void> {
    const { recorderId, queries, gaps, isWaiting } = this.#deps;
    const { sessionId } = slot;
    gaps.add(sessionId);
    await gaps.write();
    if (isWaiting(sessionId)) return;
    await queries.deleteSlot({ ...slot, recorderId });
    gaps.forget(sessionId);
  }

  #begin(slot: SlotRow): void {
    const { record, queries, log } = this.#deps;
    const changed = () => this.wake();
    this.#assignments.set(slot.sessionId, new Assignment(record(slot), { queries, log, changed }));
  }

  #endAll(outcome: Outcome, ending: Ending): void {
    for (const assignment of this.#assignments.values()) assignment.end(outcome, ending);
  }

  #whenQuiet(): Ending {
    const { quietMs, closeMs: patienceMs } = this.#deps.timing;
    return { reason: 'session_closed', quietMs, patienceMs, hurry: this.#ending.signal };
  }

  /** How to end without waiting for anything. */
  #now(): Omit<Ending, 'reason'> {
    return { quietMs: 0, patienceMs: 0, hurry: this.#ending.signal };
  }

  #noteDatabase(isOk: boolean, err?: unknown): void {
    const { log } = this.#deps;
    if (!isOk) this.#failedAt = performance.now();
    if (isOk === this.#isDatabaseOk) return;
    this.#isDatabaseOk = isOk;
    if (isOk) log.info('the database answers');
    else log.warn({ err }, 'the database does not answer');
  }
}
