import type { BenchOptions } from '../http/bench-options.ts';

export interface RecorderOptions extends BenchOptions {
  /** How long `steady` takes. */
  readonly minutes: number;
}
