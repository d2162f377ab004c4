import { AppError, redactTokens } from '@session/kit';

/** Returns the error `media_unavailable`. The original error is not its cause, because its fields may contain a token. */
export function mediaError(attempt: string, error: unknown): AppError {
  return new AppError('media_unavailable', redactTokens(`${attempt}: ${reasonsOf(error)}`));
}

/** Returns whether the media server refused the token of a join. A retry with the same token would fail too. */
export function isRefusedToken(error: unknown): boolean {
  return error instanceof Error && /\b401\b.*(token|key)/i.test(error.message);
}

function reasonsOf(error: unknown, outer: readonly unknown[] = []): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message, name } = error;
  const reason = message || name;
  const errors = [...outer, error];
  return cause === undefined || errors.includes(cause)
    ? reason
    : `${reason}: ${reasonsOf(cause, errors)}`;
}
