/** The state of the recorder, for operators. */
export interface RecorderHealth {
  readonly status: 'ok' | 'unavailable';
  readonly recorderId: string;
  /** The epoch of the recorder. */
  readonly epoch: number;
  /** How many sessions are in which state. */
  readonly sessions: Readonly<Record<string, number>>;
  /** How many messages wait to be stored, on the disk or in memory. */
  readonly queueLength: number;
  /** What of the queue is on the disk; `isOk` is false while the disk takes nothing. */
  readonly spool: { readonly messages: number; readonly sizeBytes: number; readonly isOk: boolean };
  /** How many room events do not belong in the history, by reason; `fault` counts failures of the recorder. */
  readonly skipped: Readonly<Record<string, number>>;
  /** How many messages did not reach the history, by reason. */
  readonly lost: Readonly<Record<string, number>>;
  readonly database: 'ok' | 'unavailable';
  /** `wrong`: the clock of this machine differs from the database's by more than 5 s. The recorder corrects its times. */
  readonly clock: 'ok' | 'wrong';
  /** How many milliseconds the clock of this machine is ahead of the database's; negative: behind. */
  readonly clockOffsetMs: number;
  /** ISO 8601; null when nothing has been stored yet. */
  readonly lastFlushAt: string | null;
}
