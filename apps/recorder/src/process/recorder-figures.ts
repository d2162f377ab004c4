import type { Histogram } from 'prom-client';

/** Figures of the recorder that only the metrics report. */
export interface RecorderFigures {
  /** How many sessions the recorder claims before others do. */
  readonly capacity: number;
  readonly isDatabaseOk: boolean;
  /** How long ago the oldest message that is not stored was received; 0 when none waits. */
  readonly oldestUnstoredAgeMs: number;
  /** How long messages waited until they were stored. */
  readonly storageDelays: Histogram;
  readonly spool: {
    readonly limitBytes: number;
    /** How much more the spool can take. */
    readonly freeBytes: number;
    /** When the spool will be full; infinite while it does not grow. */
    readonly secondsToFull: number;
    /** The size of the file of rejected messages. */
    readonly rejectedBytes: number;
  };
  /** How often a participant joined a room, as seen in the rooms. */
  readonly joins: number;
  /** When this process received its last webhook, in milliseconds since the epoch; undefined before the first one. */
  readonly lastWebhookAt: number | undefined;
}
