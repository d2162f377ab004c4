/**
 * How requests to a model fail, and what then. `delaysMs` are the pauses before each retry, which happen only while no
 * word of the answer was sent.
 */
export const FAILURES = {
  /** 401, 403, 404, an unknown 4xx, a redirect to another host. */
  refused: { reason: 'model_refused', delaysMs: [] },
  /** 429: `Retry-After` wins over these pauses. */
  busy: { reason: 'model_busy', delaysMs: [1000, 2000, 4000] },
  /** 5xx, no connection, no address for the host, a connection that broke. */
  unreachable: { reason: 'model_unreachable', delaysMs: [300, 1000, 3000] },
  /** One of our own timers: no first token, silence between tokens, a turn that took too long. */
  stalled: { reason: 'model_stalled', delaysMs: [] },
  /** An empty answer, no valid stream, or more than the largest answer without a word in it. */
  faulty: { reason: 'model_faulty', delaysMs: [0] },
  /** The request is longer than the model's context. The conversation sends half of it once. */
  too_long: { reason: 'model_refused', delaysMs: [] },
  /** More than 20 requests in a minute: our own limit. */
  too_fast: { reason: 'too_fast', delaysMs: [] },
} as const satisfies Record<string, { reason: string; delaysMs: readonly number[] }>;

export type FailureKind = keyof typeof FAILURES;

/** The `reason` of a `degraded` notification. An open enumeration. */
export type FailureReason = (typeof FAILURES)[FailureKind]['reason'];

/** Why a model gave no answer, in our own words: a provider's message may quote the key. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly kind: FailureKind;
  /** What the endpoint asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * Reads the header `Retry-After`: seconds, fractions allowed, or a date. Returns milliseconds, or undefined when the header
 * is missing or makes no sense. `now` is in milliseconds since the epoch.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(header)) return Number(header) * 1000;
  const date = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
