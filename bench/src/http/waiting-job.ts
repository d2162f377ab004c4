/** A session with one waiting reader for each of the headers. */
export interface WaitingSession {
  readonly sessionId: string;
  readonly headers: readonly Readonly<Record<string, string>>[];
}

/** A job of the process with the waiting readers. */
export type WaitingJob =
  | {
      readonly kind: 'open';
      readonly address: string;
      readonly sessions: readonly WaitingSession[];
    }
  | { readonly kind: 'wake'; readonly perSecond: number; readonly durationMs: number };

export interface Woken {
  /** For each reader: the time from before the message was stored until the reader received it. */
  readonly latenciesMs: readonly number[];
  /** The number of stored messages. */
  readonly stored: number;
  /** The number of 503 answers and broken connections, on a machine that is overloaded. */
  readonly refused: number;
}
