import type { HistoryCheck } from '../chaos/check-history.ts';
import type { Failures } from '../measure/failures.ts';

/** A job of a process with people. Each is answered before the next one is given. */
export type CrowdJob =
  /** One more person joins the room of a session. Answered when that person is in the room. */
  | {
      readonly kind: 'join';
      readonly sessionId: string;
      readonly hasAgent: boolean;
      /** Which part of the time between two messages passes before the first one. */
      readonly turn: number;
    }
  /** Everybody says something every `everyMs`, waits for messages, and reads. Answered at once. */
  | { readonly kind: 'talk'; readonly everyMs: number }
  /** Answered with what happened since the last report. */
  | { readonly kind: 'report' }
  /** Everybody stops. Answered with the comparison of what was said with what is stored. */
  | { readonly kind: 'finish' };

/** What happened in a while. Times are in milliseconds. */
export interface CrowdReport {
  /** How many messages were said. */
  readonly said: number;
  /** From saying a message until a reader that waits has it. */
  readonly readableMs: readonly number[];
  /** From saying a message until the agent's answer is in the room. */
  readonly answeredMs: readonly number[];
  /** Reads of a session and of its newest messages, each from the request to the answer. */
  readonly readsMs: readonly number[];
  /** What could not be said, by the reason. */
  readonly unsaid: Failures;
  /** Requests that failed, those of waiting readers too. */
  readonly failures: Failures;
}

/** The end of a crowd. */
export interface CrowdEnd {
  readonly check: HistoryCheck;
  /** Messages that no waiting reader has got. */
  readonly unread: number;
  /** Messages to which no answer of the agent came. */
  readonly unanswered: number;
}
