import { AppError, redactTokens } from '@session/kit';

/**
 * Returns the error `media_unavailable`, which stands for every failure of the media server. Its message says what was
 * tried and why it failed. The original error is not attached as the cause, since its fields may contain a token.
 */
export function mediaError(attempt: string, error: unknown): AppError {
  return new AppError('media_unavailable', redactTokens(`${attempt}: ${reasonsOf(error)}`));
}

/** Whether the media server refused the token of a join. A retry with the same token would fail too. */
export function isRefusedToken(error: unknown): boolean {
  return error instanceof Error && /\b401\b.*(token|key)/i.test(error.message);
}

/** Returns the messages of `error` and its causes: `fetch failed` alone does not say why. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = error.message || error.name;
  return error.cause === undefined ? reason : `${reason}: ${reasonsOf(error.cause)}`;
}
