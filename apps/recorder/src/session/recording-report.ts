import type { SlotStatus } from '@session/db';

/** The state of a recording, as the database is to know it. */
export interface RecordingState {
  readonly status: Exclude<SlotStatus, 'lost'>;
  /** ISO 8601. */
  readonly connectedAt: string | null;
  readonly attempts: number;
  readonly failure: string | null;
}

/**
 * What a recording reports for the database: its state, and the intervals in which it was connected to the room. Times are
 * milliseconds since the epoch.
 */
export interface RecordingReport {
  /** The id of the open interval; undefined when there is none. */
  readonly intervalId: string | undefined;
  /** When the open interval began; undefined when there is none. */
  readonly coveredSince: number | undefined;
  /** Whether there is an open interval, and the database knows it. */
  readonly isIntervalWritten: boolean;
  setState(state: RecordingState): void;
  /** The room is covered from `from` on. */
  beginInterval(from: number): void;
  /** The open interval ended at `to`, or where it began if that is later, for `reason`. */
  endInterval(to: number, reason: string): void;
  /** The time from `from` to `to` was not covered after all, for `reason`. */
  cutInterval(from: number, to: number, reason: string): void;
  /** No recorder covered the time from `from` to `to`, whatever others report, for `reason`. */
  cutAllIntervals(from: number, to: number, reason: string): void;
  /**
   * A participant was in the room at `from`, and this recorder covers the room from `coveredFrom` on. If no recorder
   * covered the room earlier, the session's first gap begins at `from`, with the reason `not_started`. An interval of length
   * 0 marks the start of that gap.
   */
  insertGapStart(from: number, coveredFrom: number): void;
}
