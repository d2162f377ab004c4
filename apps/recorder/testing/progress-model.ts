import type { UnsureMark } from '@session/db';
import * as fc from 'fast-check';
import type { PendingSession } from '../src/message-path.ts';
import { StoredProgress } from '../src/slots/stored-progress.ts';
import { TIMING } from '../src/timing.ts';

const SESSIONS: readonly number[] = [0, 1, 2];
/** A heartbeat that comes later than this after the one before is late. */
const LATE_MS = 2 * TIMING.heartbeatMs;

const ACTS = [
  ...(['receive', 'passOn', 'hold', 'decide', 'store', 'wait', 'beat'] as const),
  ...(['defer', 'storeLane', 'standStill'] as const),
] as const;

/** What may happen: in one session, or everywhere. */
export const progressStep: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(...ACTS),
  session: fc.constantFrom(...SESSIONS),
  count: fc.nat(3),
  waitMs: fc.nat(500),
  fault: fc.constantFrom('none', 'none', 'away', 'locked', 'lost'),
});

interface Step {
  readonly act: (typeof ACTS)[number];
  readonly session: number;
  readonly count: number;
  readonly waitMs: number;
  readonly fault: string;
}

interface Writing {
  readonly session: number;
  readonly since: number;
  readonly receivedAt: number;
}

/** A recorder's words, and what its database has of them. */
export class ProgressModel {
  now = 1_000_000;
  /** By session: when its open text began. */
  readonly #open = new Map<number, number>();
  /** By session: when each packet was received whose sender is looked up. */
  readonly #held = new Map<number, number[]>(SESSIONS.map((session) => [session, []]));
  /** What the history writer holds: a message, and when its first word was received. */
  #writing: Writing[] = [];
  /** What waits in lanes of the history writer. */
  #inLanes: Writing[] = [];
  /** Since when a packet waits in a socket while the recorder stands still. */
  #unreadSince = Infinity;
  readonly #stored = { flushedAt: this.now, marks: new Map<string, number>() };
  readonly #progress: StoredProgress;
  #fault = 'none';

  constructor() {
    const updateUnsure = async (changes: readonly UnsureMark[]) => {
      if (this.#fault === 'away') throw new Error('away');
      const taken = this.#fault === 'locked' ? changes.slice(1) : changes;
      for (const { intervalId, unsureFrom } of taken) {
        if (unsureFrom === null) this.#stored.marks.delete(intervalId);
        else this.#stored.marks.set(intervalId, Date.parse(unsureFrom));
      }
      this.#note();
      if (this.#fault === 'lost') throw new Error('written, but the answer was lost');
      return taken.map(({ intervalId }) => intervalId);
    };
    this.#progress = new StoredProgress({ updateUnsure }, TIMING);
  }

  async act({ act, session, count, waitMs, fault }: Step): Promise<void> {
    if (act === 'store') this.store(count);
    else if (act === 'wait') this.now += waitMs;
    else if (act === 'beat') await this.beat(fault);
    else if (act === 'standStill') await this.standStill(LATE_MS + 4 * waitMs);
    else this[act](session);
    this.#note();
  }

  receive(session: number): void {
    if (this.#open.has(session)) return;
    this.#open.set(session, this.now);
  }

  passOn(session: number): void {
    const since = this.#open.get(session);
    if (since === undefined) return;
    this.#open.delete(session);
    this.#writing.push({ session, since, receivedAt: this.now });
  }

  hold(session: number): void {
    this.#held.get(session)?.push(this.now);
  }

  decide(session: number): void {
    const since = this.#held.get(session)?.shift();
    if (since !== undefined) this.#writing.push({ session, since, receivedAt: since });
  }

  /** Stores the first messages, except those of sessions with a lane, which go into the lane. */
  store(count: number): void {
    const lanes = new Set(this.#inLanes.map(({ session }) => session));
    const batch = this.#writing.splice(0, count);
    this.#inLanes.push(...batch.filter(({ session }) => lanes.has(session)));
  }

  /** Another transaction has locked the session: its messages wait in a lane. */
  defer(session: number): void {
    this.#inLanes.push(...this.#writing.filter((one) => one.session === session));
    this.#writing = this.#writing.filter((one) => one.session !== session);
  }

  storeLane(session: number): void {
    const first = this.#inLanes.findIndex((one) => one.session === session);
    if (first >= 0) this.#inLanes.splice(first, 1);
  }

  async beat(fault: string): Promise<void> {
    this.#fault = fault;
    const waiting = new Map<string, PendingSession>();
    for (const { session, since } of [...this.#writing, ...this.#inLanes]) {
      const id = `session ${session}`;
      const isAlone = this.#inLanes.some((one) => one.session === session);
      waiting.set(id, { since: Math.min(since, waiting.get(id)?.since ?? since), isAlone });
    }
    const intervals = SESSIONS.map((session) => ({
      sessionId: `session ${session}`,
      intervalId: `interval ${session}`,
      from: 0,
      isWritten: true,
      undecidedSince: this.#undecidedSince(session),
    }));
    this.#stored.flushedAt = await this.#progress.update({ now: this.now, waiting, intervals });
    this.#note();
  }

  /** What arrives meanwhile is read after the next heartbeat, which is late. */
  async standStill(forMs: number): Promise<void> {
    this.now += 1;
    this.#unreadSince = this.now;
    this.now += forMs;
    await this.beat('none');
    this.#unreadSince = Infinity;
  }

  /** Stores everything. What the recorder reports afterwards must reach the present. */
  async settle(): Promise<void> {
    for (const session of SESSIONS) {
      this.passOn(session);
      while (this.#held.get(session)?.length) this.decide(session);
    }
    this.store(Infinity);
    this.#inLanes = [];
    for (let beats = 0; beats < 2; beats += 1) {
      this.now += TIMING.heartbeatMs;
      await this.beat('none');
    }
  }

  #undecidedSince(session: number): number {
    const held = this.#held.get(session)?.[0] ?? Infinity;
    return Math.min(held, this.#open.get(session) ?? Infinity);
  }

  /** How often a kill would have left a time covered that contains a word that is not stored. */
  faults = 0;

  #note(): void {
    for (const session of SESSIONS) {
      const mark = this.#stored.marks.get(`interval ${session}`);
      const end = Math.min(this.#stored.flushedAt, mark ?? Infinity);
      const all = [...this.#writing, ...this.#inLanes];
      const writing = all.filter((one) => one.session === session);
      const waitingSince = Math.min(...writing.map(({ since }) => since));
      const since = Math.min(this.#undecidedSince(session), waitingSince, this.#unreadSince);
      if (end > since) this.faults += 1;
    }
  }

  get flushedAt(): number {
    return this.#stored.flushedAt;
  }

  get marks(): ReadonlyMap<string, number> {
    return this.#stored.marks;
  }
}
