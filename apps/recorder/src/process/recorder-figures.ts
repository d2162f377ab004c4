import type { Histogram } from 'prom-client';

export interface RecorderFigures {
  readonly capacity: number;
  readonly isDatabaseOk: boolean;
  readonly oldestUnstoredAgeMs: number;
  readonly storageDelays: Histogram;
  readonly spool: {
    readonly limitBytes: number;
    readonly freeBytes: number;
    readonly secondsToFull: number;
    readonly rejectedBytes: number;
  };
  readonly joins: number;
  readonly lastWebhookAt: number | undefined;
}
