/** What the process that stores is asked to do. */
export interface QueueJob {
  /** `queue`: as the recorder does. `insert`: one statement a message, each after the other. */
  readonly way: 'queue' | 'insert';
  readonly sessions: readonly string[];
  readonly count: number;
}

export interface QueueResult {
  readonly elapsedMs: number;
  /** Of this process, all its threads. */
  readonly cpuMs: number;
}
