import { AppError, redactTokens } from '@session/kit';

/**
 * Gives the one error that the media server's failures become, `media_unavailable`. Its message tells the log what was
 * tried and why it failed; the original is left out, since its fields may hold a token.
 */
export function mediaError(attempt: string, error: unknown): AppError {
  return new AppError('media_unavailable', redactTokens(`${attempt}: ${reasonsOf(error)}`));
}

/** Whether the media server has refused the token with which a room was joined: the next try would fare no better. */
export function isRefusedToken(error: unknown): boolean {
  return error instanceof Error && /\b401\b.*(token|key)/i.test(error.message);
}

/** The messages of `error` and its causes: `fetch failed` alone says nothing. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = error.message || error.name;
  return error.cause === undefined ? reason : `${reason}: ${reasonsOf(error.cause)}`;
}
