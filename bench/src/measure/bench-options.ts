import type { Progress } from '@session/local';

export interface BenchOptions {
  readonly rounds: number;
  /** How long each measurement of a round takes. */
  readonly roundMs: number;
  readonly progress: Progress;
  readonly stop: AbortSignal;
}
