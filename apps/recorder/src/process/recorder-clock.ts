import { uptime } from 'node:os';
import type { RecorderLog } from './log.ts';

const TOLERATED_MS = 500;
const WRONG_MS = 5000;
const MEASUREMENTS = 5;
const SLEEP_MS = 1000;
/** During an outage the time of a pause is unknown. It is assumed to begin at most this long before the next answer. */
const UNSURE_MS = 10_000;

export interface MachineClocks {
  wallMs(): number;
  steadyMs(): number;
  /** Never steps, and continues while the machine sleeps. Coarse: 10 ms on Linux, 1 s elsewhere. */
  uptimeMs(): number;
}

export const MACHINE_CLOCKS: MachineClocks = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  uptimeMs: () => uptime() * 1000,
};

/** The time that is compared with the times of the database and of other recorders, in whole milliseconds. */
export interface Clock {
  now(): number;
}

export interface QuestionSent {
  readonly wallMs: number;
  readonly steadyMs: number;
  readonly uptimeLeadMs: number;
}

interface Measurement {
  readonly sentMs: number;
  readonly roundTripMs: number;
  readonly offsetMs: number;
  readonly baseMs: number;
}

export interface Pause {
  readonly from: number;
  readonly to: number;
  readonly lengthMs: number;
}

/**
 * The time of day at the start, continued by the steady clock, so that a step of the time of day has no effect. It is set to
 * the database's time when the two differ by more than half a second.
 */
export class RecorderClock implements Clock {
  readonly #clocks: MachineClocks;
  readonly #log: RecorderLog;
  #baseMs: number;
  #measurements: Measurement[] = [];
  /**
   * The newest measurement that agreed with the clock. It is kept longer than the five by which the clock is corrected.
   */
  #agreed: Measurement | undefined;
  #pauses: Pause[] = [];
  #hasWarned = false;
  /** How far the uptime is ahead of the steady clock. This grows while the machine sleeps. */
  #uptimeLeadMs: number;

  constructor(log: RecorderLog, clocks: MachineClocks = MACHINE_CLOCKS) {
    this.#clocks = clocks;
    this.#log = log;
    this.#baseMs = clocks.wallMs() - clocks.steadyMs();
    this.#uptimeLeadMs = clocks.uptimeMs() - clocks.steadyMs();
  }

  now(): number {
    return Math.floor(this.#baseMs + this.#clocks.steadyMs());
  }

  elapsed(): number {
    this.#noteSleep();
    return this.#clocks.steadyMs() + this.#uptimeLeadMs;
  }

  /**
   * Returns the machine's pauses since the last call, except for those shorter than `leastMs`. During a pause all
   * clocks of the machine stood still, as in a paused virtual machine. A pause lies between its `from` and `to`.
   */
  takePauses(leastMs: number): Pause[] {
    const pauses = this.#pauses.filter(({ lengthMs }) => lengthMs >= leastMs);
    this.#pauses = [];
    return pauses;
  }

  /** How far this machine's time of day is ahead of the database's clock; negative if it is behind. */
  get offsetMs(): number {
    return this.#best?.offsetMs ?? 0;
  }

  get isWrong(): boolean {
    return Math.abs(this.offsetMs) > WRONG_MS;
  }

  send(): QuestionSent {
    this.#noteSleep();
    const [wallMs, steadyMs] = [this.#clocks.wallMs(), this.#clocks.steadyMs()];
    return { wallMs, steadyMs, uptimeLeadMs: this.#uptimeLeadMs };
  }

  measured({ wallMs, steadyMs, uptimeLeadMs }: QuestionSent, databaseNow: number): void {
    this.#noteSleep();
    // The machine slept meanwhile, and it is unknown whether before or after the database answered.
    if (this.#uptimeLeadMs !== uptimeLeadMs) return;
    const roundTripMs = this.#clocks.steadyMs() - steadyMs;
    const offsetMs = wallMs + roundTripMs / 2 - databaseNow;
    const baseMs = databaseNow - (steadyMs + roundTripMs / 2);
    const newest = { sentMs: steadyMs, roundTripMs, offsetMs, baseMs };
    this.#measurements = [newest, ...this.#measurements.slice(0, MEASUREMENTS - 1)];
    if (this.#agrees(newest)) this.#agreed = newest;
    this.#correct();
    this.#warn();
  }

  get #best(): Measurement | undefined {
    const [first, ...others] = this.#measurements;
    return others.reduce(
      (best, other) => (best && other.roundTripMs < best.roundTripMs ? other : best),
      first,
    );
  }

  #correct(): void {
    const best = this.#best;
    if (!best || this.#agrees(best)) return;
    this.#notePause(best);
    this.#baseMs = best.baseMs;
    this.#agreed = best;
  }

  #agrees({ baseMs, roundTripMs }: Measurement): boolean {
    // The slower the answer, the less exact the measurement.
    return Math.abs(this.#baseMs - baseMs) - roundTripMs / 2 <= TOLERATED_MS;
  }

  /** Notes that the machine was paused. A database clock that is set forward looks the same. */
  #notePause(best: Measurement): void {
    const former = this.#agreed;
    const lengthMs = best.baseMs - this.#baseMs;
    if (!former || lengthMs <= 0) return;
    // The time of day, which had been ahead, agrees now: the database's clock was behind, and has been set right.
    const isFar = (offsetMs: number) => Math.abs(offsetMs) > lengthMs / 2;
    if (isFar(former.offsetMs) && !isFar(best.offsetMs)) return;
    const now = this.now();
    const from = Math.max(Math.floor(this.#baseMs + former.sentMs), now - UNSURE_MS);
    this.#pauses.push({ from, to: now + Math.ceil(lengthMs), lengthMs });
  }

  #warn(): void {
    const best = this.#best;
    if (!best) return;
    const offsetMs = Math.round(best.offsetMs);
    const differenceMs = Math.abs(best.offsetMs);
    if (!this.#hasWarned && differenceMs - best.roundTripMs / 2 > TOLERATED_MS) {
      this.#hasWarned = true;
      this.#log.warn({ offsetMs }, 'clock differs from database clock; correcting times');
    } else if (this.#hasWarned && differenceMs + best.roundTripMs / 2 <= TOLERATED_MS) {
      this.#hasWarned = false;
      this.#log.info({ offsetMs }, 'clock agrees with database clock again');
    }
  }

  #noteSleep(): void {
    const leadMs = this.#clocks.uptimeMs() - this.#clocks.steadyMs();
    const sleptMs = leadMs - this.#uptimeLeadMs;
    if (sleptMs < SLEEP_MS) return;
    this.#uptimeLeadMs = leadMs;
    this.#baseMs += sleptMs;
    this.#measurements = [];
    this.#agreed = undefined;
  }
}
