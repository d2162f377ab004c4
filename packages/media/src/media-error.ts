import { AppError } from '@session/kit';
import { redactTokens } from './redact-tokens.ts';

/**
 * Gives the one error that the media server's failures become, `media_unavailable`. Its message tells the log what was
 * tried and why it failed; the original is left out, since its fields may hold a token.
 */
export function mediaError(attempt: string, error: unknown): AppError {
  return new AppError('media_unavailable', redactTokens(`${attempt}: ${reasonsOf(error)}`));
}

/** The messages of `error` and its causes: `fetch failed` alone says nothing. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const reason = error.message || error.name;
  return error.cause === undefined ? reason : `${reason}: ${reasonsOf(error.cause)}`;
}
