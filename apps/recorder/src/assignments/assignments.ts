import { EventEmitter, once } from 'node:events';
import {
  type HeldSlot,
  isDatabaseAway,
  type RecorderQueries,
  type RecordingAssignmentQueries,
} from '@session/db';
import { aborted, pause } from '@session/kit';
import type { Logger } from 'pino';
import type { ConnectionState } from '../connection/connection-state.ts';
import type { Timing } from '../timing.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Ending, SessionRecording } from './session-recording.ts';

/** Small steps share the sessions fairly among recorders that claim at the same time. */
const CLAIM_STEP = 16;

/** What became of a recording, and so of its slot: given up, removed, another recorder's by now, or free for others. */
type Outcome = 'lost' | 'closed' | 'taken' | 'released';

interface Entry {
  readonly recording: SessionRecording;
  outcome?: Outcome;
  /** Resolves when the recording has ended, if it is to. */
  end?: Promise<void>;
  /** All that was heard is stored: the slot may go. */
  isOver: boolean;
}

export interface AssignmentDeps {
  readonly recorderId: string;
  readonly epoch: number;
  readonly capacity: number;
  readonly queries: RecordingAssignmentQueries & Pick<RecorderQueries, 'updateHeartbeat'>;
  /** Begins to record what the slot is for. */
  record(slot: HeldSlot): SessionRecording;
  /** Milliseconds since the epoch: all that was received before is stored, what the recordings hold back apart. */
  flushedAt(): number;
  readonly log: Logger;
  readonly timing: Timing;
}

/**
 * Which sessions this process records. One round after another compares what the database says with what is done: at
 * once when something may have changed, else every `pollMs`. All that is written about slots is written here, so never two
 * claims at a time.
 */
export class Assignments {
  readonly #deps: AssignmentDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #rounds = new EventEmitter().setMaxListeners(0);
  readonly #ending = new AbortController();
  readonly #fenced = new AbortController();
  readonly #running: Promise<void>;
  #waking = new AbortController();
  #begun = 0;
  #done = 0;
  #isDraining = false;
  #isDatabaseOk = false;
  readonly #heartbeat: Heartbeat;

  constructor(deps: AssignmentDeps) {
    this.#deps = deps;
    this.#heartbeat = new Heartbeat({
      ...deps,
      state: () => ({
        load: this.#entries.size,
        isDraining: this.#isDraining,
        flushedAt: new Date(this.#flushedAt()).toISOString(),
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
    for (const { recording } of this.#entries.values()) {
      counts[recording.state] = (counts[recording.state] ?? 0) + 1;
    }
    return counts;
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
   * Claims nothing more, ends all recordings and frees their slots; those of a fenced recorder are not its own. Resolves
   * when that is done, or when `signal` aborts, whatever the database does; `hurry` cuts the wait for open texts short.
   */
  async drain(signal: AbortSignal, hurry: AbortSignal): Promise<void> {
    this.#isDraining = true;
    const { drainMs: patienceMs } = this.#deps.timing;
    const ending = { reason: 'recorder_stopped', quietMs: 0, patienceMs, hurry };
    for (const entry of this.#entries.values()) this.#end(entry, 'released', ending);
    while (this.#entries.size > 0 && !this.fenced.aborted && !signal.aborted) {
      await once(this.#rounds, 'done', { signal }).catch(() => {});
    }
    // What a fenced recorder has heard is stored like any other's.
    const ends = Array.from(this.#entries.values(), async ({ end }) => await end);
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
      await pause(this.#deps.timing.pollMs, this.#waking.signal);
    }
    await this.#heartbeat.end();
  }

  async #round(): Promise<void> {
    for (const entry of this.#entries.values()) await this.#settle(entry);
    if (this.fenced.aborted) return;
    if (!this.#isDraining) await this.#claim();
    const { queries, recorderId, epoch } = this.#deps;
    await this.#compare(await queries.listAssignments(recorderId, epoch));
  }

  /** All that was received before this is stored. */
  #flushedAt(): number {
    const held = Array.from(this.#entries.values(), ({ recording }) => recording.oldestAt);
    return held.reduce((a: number, b) => Math.min(a, b ?? a), this.#deps.flushedAt());
  }

  #replaced(): void {
    this.#deps.log.error('another process has started as this recorder: this one stops');
    this.#fenced.abort();
    const { signal: hurry } = this.#fenced;
    const ending = { reason: 'recorder_replaced', quietMs: 0, patienceMs: 0, hurry };
    for (const entry of this.#entries.values()) this.#end(entry, 'taken', ending);
  }

  /** Brings what is known of one slot to the database; what goes wrong there for this one alone is no other's trouble. */
  async #settle(entry: Entry): Promise<void> {
    try {
      await this.#write(entry);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      const { sessionId } = entry.recording.key;
      this.#deps.log.error({ err: error, sessionId }, 'a slot cannot be written');
      if (entry.isOver) this.#entries.delete(sessionId);
    }
  }

  async #write(entry: Entry): Promise<void> {
    const { recording } = entry;
    const { queries } = this.#deps;
    if (recording.state === 'lost') this.#end(entry, 'lost', { ...this.#now(), reason: 'lost' });
    if (entry.outcome !== 'taken') await recording.write();
    if (!entry.isOver) return;
    const { key, attempts, failure } = recording;
    if (entry.outcome === 'lost') await queries.giveUpAssignment(key, attempts, failure ?? '');
    if (entry.outcome === 'released') await queries.releaseAssignment(key);
    this.#entries.delete(key.sessionId);
  }

  async #claim(): Promise<void> {
    const { recorderId, capacity, queries, log } = this.#deps;
    let load = this.#entries.size;
    for (;;) {
      const slots = await queries.claimAssignments({ recorderId, limit: CLAIM_STEP, capacity });
      if (slots.length === 0) return;
      load += slots.length;
      if (load <= capacity) continue;
      log.warn({ load, capacity }, 'more sessions than the capacity: no recorder has room');
      // One step a poll, so that all recorders take their share.
      return;
    }
  }

  /** Makes what is recorded what `slots` says: they are all that this recorder holds. */
  async #compare(slots: readonly HeldSlot[]): Promise<void> {
    const { recorderId, queries, log } = this.#deps;
    for (const slot of slots) {
      const entry = this.#entries.get(slot.sessionId);
      if (slot.sessionStatus === 'CLOSED') {
        if (entry) this.#end(entry, 'closed', this.#whenQuiet());
        // All of it is stored, or it was over before we were there: to join its room would bring that back.
        else await queries.deleteAssignment({ ...slot, recorderId });
      } else if (entry) entry.recording.renew(slot.epoch);
      else if (!this.#isDraining) this.#begin(slot);
    }
    const held = new Set(slots.map(({ sessionId }) => sessionId));
    for (const [sessionId, entry] of this.#entries) {
      if (held.has(sessionId) || entry.outcome) continue;
      log.info({ sessionId }, 'another recorder has the session, or it is deleted');
      this.#end(entry, 'taken', { ...this.#now(), reason: 'taken_over' });
    }
  }

  #begin(slot: HeldSlot): void {
    this.#entries.set(slot.sessionId, { recording: this.#deps.record(slot), isOver: false });
  }

  /** Ends a recording, once; the round after that settles its slot. */
  #end(entry: Entry, outcome: Outcome, ending: Ending): void {
    if (entry.outcome) return;
    entry.outcome = outcome;
    entry.end = entry.recording
      .end(ending)
      .catch((err: unknown) => this.#deps.log.error({ err }, 'a recording did not end well'))
      .finally(() => {
        entry.isOver = true;
        this.wake();
      });
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
    if (isOk === this.#isDatabaseOk) return;
    this.#isDatabaseOk = isOk;
    if (isOk) log.info('the database answers');
    else log.warn({ err }, 'the database does not answer');
  }
}
