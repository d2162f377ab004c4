import type { SlotStatus } from '@session/db';

export interface RecordingState {
  readonly status: Exclude<SlotStatus, 'lost'>;
  readonly connectedAt: string | null;
  readonly attempts: number;
  readonly failure: string | null;
}

/** What a recording reports for the database: its state, and the intervals in which it was connected to the room. */
export interface RecordingReport {
  readonly intervalId: string | undefined;
  readonly coveredSince: number | undefined;
  readonly isIntervalWritten: boolean;
  setState(state: RecordingState): void;
  beginInterval(from: number): void;
  endInterval(to: number, reason: string): void;
  /** The time from `from` to `to` was not covered after all. */
  cutInterval(from: number, to: number, reason: string): void;
  /** No recorder covered the time from `from` to `to`, whatever others report. */
  cutAllIntervals(from: number, to: number, reason: string): void;
  /**
   * A participant was in the room at `from`, and this recorder covers the room from `coveredFrom` on. If no recorder
   * covered the room earlier, the session's first gap begins at `from`, with the reason `not_started`. An interval of length
   * 0 marks the start of that gap.
   */
  insertGapStart(from: number, coveredFrom: number): void;
}
