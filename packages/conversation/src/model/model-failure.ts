/**
 * How requests to a model fail, and the pauses before each retry (`delaysMs`). Retries happen only before the first word of an
 * answer.
 *
 * - `refused`: 401, 403, 404, an address that is not allowed, a redirect to another host, or another protocol (101).
 * - `declined`: another 4xx. The endpoint refuses this request, perhaps for a text in it, and may answer the next one.
 * - `busy`: 429. `Retry-After` wins over these pauses.
 * - `unreachable`: 5xx, no connection, no address for the host, or a connection that broke.
 * - `stalled`: one of our own timers. No first token, silence between tokens, or a turn that took too long.
 * - `faulty`: an empty answer, one that the endpoint's filter ends, an invalid stream, an answer that reaches the largest
 *   size without a word, or a tool call that the endpoint refuses.
 * - `too_long`: the request exceeds the model's context. The conversation sends half of it once.
 * - `too_fast`: our own limit of requests in a minute.
 */
export const FAILURES = {
  refused: { reason: 'model_refused', delaysMs: [] },
  declined: { reason: 'model_refused', delaysMs: [] },
  busy: { reason: 'model_busy', delaysMs: [1000, 2000, 4000] },
  unreachable: { reason: 'model_unreachable', delaysMs: [300, 1000, 3000] },
  stalled: { reason: 'model_stalled', delaysMs: [] },
  faulty: { reason: 'model_faulty', delaysMs: [0] },
  too_long: { reason: 'model_refused', delaysMs: [] },
  too_fast: { reason: 'too_fast', delaysMs: [] },
} as const satisfies Record<string, { reason: string; delaysMs: readonly number[] }>;

export type FailureKind = keyof typeof FAILURES;

export type FailureReason = (typeof FAILURES)[FailureKind]['reason'];

/** Why a model did not answer, in our own words, because a provider's message may quote the key. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly kind: FailureKind;
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
 * Reads the header `Retry-After`: seconds, fractions allowed, or a date. Returns milliseconds; undefined when the header is
 * missing or makes no sense. `now` is in milliseconds since the epoch.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(header)) return Number(header) * 1000;
  const date = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
