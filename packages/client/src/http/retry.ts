import { isApiError, isConnectionError } from './api-error.ts';

/**
 * When a failed request may be sent again. `always`: a repeat has no second effect. `answered`: only after a 429 or 503 with
 * `Retry-After`. `refused`: only if that answer also means that the server did nothing. A server that answers 503 `unavailable`
 * may still carry out the request.
 */
export type RetryRule = 'always' | 'answered' | 'refused' | 'never';

const BASE_MS = 500;
const MAX_BACKOFF_MS = 8000;
/** If the server asks for more, `isWorthRetry` leaves the decision to the caller, and `retryDelay` waits only this long. */
const MAX_RETRY_AFTER_MS = 60_000;
const PASSING_STATUSES = new Set([429, 502, 503, 504]);

export function isWorthRetry(error: unknown, rule: RetryRule): boolean {
  if (rule === 'never') return false;
  if (isConnectionError(error)) return rule === 'always';
  if (!isApiError(error)) return false;
  const { code, status, retryAfterMs } = error;
  if ((retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) return false;
  if (rule === 'always') return PASSING_STATUSES.has(status) || code === 'idempotency_in_progress';
  const isRefused = status === 429 || code === 'overloaded';
  return retryAfterMs !== null && (isRefused || (rule === 'answered' && status === 503));
}

/**
 * Returns the milliseconds before the next attempt: random below a limit that doubles, and at least what the server asks for,
 * up to a minute. A proxy may ask for an hour although its service returns sooner.
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryDelay(error: unknown, failures: number, random: () => number): number {
  const backoff = random() * Math.min(MAX_BACKOFF_MS, BASE_MS * 2 ** failures);
  const retryAfterMs = (isApiError(error) && error.retryAfterMs) || 0;
  return Math.max(backoff, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
