import type { Histogram } from 'prom-client';

export interface RecorderFigures {
  readonly capacity: number;
  readonly isDatabaseOk: boolean;
  readonly oldestUnstoredAgeMs: number;
  readonly storageDelays: Histogram;
  readonly spool: {
    readonly limitBytes: number;
    readonly freeBytes: number;
    /** When the spool will be full; infinite while it does not grow. */
    readonly secondsToFull: number;
    readonly rejectedBytes: number;
  };
  readonly joins: number;
  readonly lastWebhookAt: number | undefined;
}
