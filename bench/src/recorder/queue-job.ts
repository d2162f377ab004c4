/** A job of the process that stores messages. */
export interface QueueJob {
  /** `queue`: like the recorder. `insert`: one statement per message, one after another. */
  readonly method: 'queue' | 'insert';
  readonly sessions: readonly string[];
  readonly count: number;
}

export interface QueueResult {
  readonly elapsedMs: number;
  /** CPU time of all threads of the process. */
  readonly cpuMs: number;
}
