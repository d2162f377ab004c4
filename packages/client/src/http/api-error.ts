import type { ErrorCode, Problem } from '../shapes.ts';

/**
 * A code of the API, an unknown code of a newer API, or `http_<status>` for an answer without a code, for example a proxy's.
 */
export type ApiErrorCode = ErrorCode | (string & {});

export interface ApiErrorFields {
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Identifies the request in the API's log; null if the answer has no id, for example a proxy's. */
  readonly requestId: string | null;
  readonly errors: NonNullable<Problem['errors']>;
  /** From the header `Retry-After`; null without a valid one. */
  readonly retryAfterMs: number | null;
}

/** A failure with which the API or a proxy answered. Test for it with `isApiError(error, 'session_closed')`. */
export class ApiError extends Error implements ApiErrorFields {
  override readonly name = 'ApiError';
  // Declared only: the constructor assigns all of them at once.
  declare readonly code: ApiErrorCode;
  declare readonly status: number;
  declare readonly title: string;
  declare readonly detail: string;
  declare readonly requestId: string | null;
  declare readonly errors: ApiErrorFields['errors'];
  declare readonly retryAfterMs: number | null;

  constructor(fields: ApiErrorFields) {
    const { code, status, title, detail } = fields;
    super(`${status} ${code}: ${title}${detail && `. ${detail}`}`);
    Object.assign(this, fields);
  }
}

/** No complete answer arrived. The request may have had an effect, unless the message says that it was not sent. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/**
 * Returns whether `error` is an ApiError, with that code if one is given. Checks the name, because a program may contain
 * two copies of this package.
 */
export function isApiError(error: unknown, code?: ApiErrorCode): error is ApiError {
  const isOurs = error instanceof Error && error.name === 'ApiError' && 'code' in error;
  return isOurs && (code === undefined || error.code === code);
}

export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof Error && error.name === 'ConnectionError';
}

function isOfProxy(error: unknown): boolean {
  return isApiError(error) && /^http_4(?!01)/.test(error.code);
}

/**
 * Returns whether `error` refuses a request for good. A proxy's refusal, other than a 401, counts only if no request of this
 * kind has succeeded before (`hasWorked`).
 */
export function isRefusal(error: unknown, hasWorked = true): error is ApiError {
  if (!isApiError(error) || (hasWorked && isOfProxy(error))) return false;
  return error.status < 500 && error.status !== 429;
}
