import type { SlotStatus } from '@session/db';

export interface RecordingState {
  readonly status: Exclude<SlotStatus, 'lost'>;
  readonly connectedAt: string | null;
  readonly attempts: number;
  readonly failure: string | null;
}

export interface RecordingReport {
  readonly intervalId: string | undefined;
  readonly coveredSince: number | undefined;
  readonly hasUnwritten: boolean;
  readonly isIntervalWritten: boolean;
  setState(state: RecordingState): void;
  beginInterval(from: number): void;
  endInterval(to: number, reason: string): void;
  /** Ends again, at its former end, an interval of this recorder that the database has as open. */
  endAgain(id: string): void;
  cutInterval(from: number, to: number, reason: string): void;
  /** Records that no recorder covered the time from `from` to `to`, whatever others report. */
  cutAllIntervals(from: number, to: number, reason: string): void;
  /**
   * Records that a participant was in the room at `from`, and that this recorder covers it from `coveredFrom` on. If nobody
   * covered it earlier, an interval of length 0 at `from` begins the first gap, `not_started`.
   */
  insertGapStart(from: number, coveredFrom: number): void;
}
