import type { BenchOptions } from '../measure/bench-options.ts';

export interface RecorderOptions extends BenchOptions {
  /** How long `steady` takes. */
  readonly minutes: number;
  /** The commit whose queue `traces` measures, too. */
  readonly former: string | undefined;
}
