import type { SkipReason } from '@session/contract/room';

export type SkippedReason = SkipReason | 'fault' | 'flood';

export interface RecorderHealth {
  readonly status: 'ok' | 'unavailable';
  readonly recorderId: string;
  readonly epoch: number;
  readonly sessions: Readonly<Record<string, number>>;
  readonly roomLimit: number;
  readonly unclaimableSessions: number;
  readonly queueLength: number;
  readonly spool: { readonly messages: number; readonly sizeBytes: number; readonly isOk: boolean };
  readonly skipped: Readonly<Record<string, number>>;
  readonly lost: Readonly<Record<string, number>>;
  readonly database: 'ok' | 'unavailable';
  /** `wrong`: the clock of this machine differs from the database's by more than 5 s. The recorder corrects its times. */
  readonly clock: 'ok' | 'wrong';
  readonly clockOffsetMs: number;
  readonly lastFlushAt: string | null;
}
