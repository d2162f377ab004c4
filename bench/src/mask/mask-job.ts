/** A job of the process that masks lines. */
export interface MaskJob {
  /**
   * `keys`: 100 values, each like an API key. `lines`: 512 KiB of values with as many short lines as they hold. `none`: no
   * values, for what the machine and the loop cost.
   */
  readonly template: 'keys' | 'lines' | 'none';
  /** Lines of 100 characters per second; 0 means as many as possible. */
  readonly linesPerSecond: number;
  readonly durationMs: number;
}

export interface MaskResult {
  /** How long the mask took to be made. */
  readonly buildMs: number;
  readonly lineCount: number;
  /** The time that was spent on masking. */
  readonly maskMs: number;
  /** The longest time that anything else of the process had to wait, while the mask was made and used. */
  readonly longestDelayMs: number;
  readonly rssMb: number;
}
