/** Who waits, and where: a reader for each of the headers. */
export interface WaitingSession {
  readonly sessionId: string;
  readonly headers: readonly Readonly<Record<string, string>>[];
}

/** What the process with the waiting readers is asked to do. */
export type WaitingJob =
  | {
      readonly kind: 'open';
      readonly address: string;
      readonly sessions: readonly WaitingSession[];
    }
  | { readonly kind: 'wake'; readonly perSecond: number; readonly durationMs: number };

export interface Woken {
  /** From before the message was stored until a reader had it, of each reader. */
  readonly latenciesMs: readonly number[];
  /** Messages that were stored. */
  readonly stored: number;
  /** Answers of 503, and connections that broke: on a machine that has too much to do. */
  readonly refused: number;
}
