import type { Problem } from '@session/contract';
import type { ErrorCode } from '@session/kit';

/** The codes of the API, and whatever a newer API or a proxy in front of it says: `http_502` where there is no code. */
export type ApiErrorCode = ErrorCode | (string & {});

export interface ApiErrorFields {
  readonly code: ApiErrorCode;
  readonly status: number;
  /** A short sentence that is the same for every failure with this code. */
  readonly title: string;
  /** What happened this time, and what to do about it. */
  readonly detail: string;
  /** Names the request in the API's log; null when the answer did not come from the API. */
  readonly requestId: string | null;
  /** What is wrong with which field of an invalid request. */
  readonly errors: NonNullable<Problem['errors']>;
  /** How long the API asks to wait before a repeat; null when it does not say. */
  readonly retryAfterMs: number | null;
}

/** An answer that is a failure. Branch on `code` by `isApiError(error, 'session_closed')`. */
export class ApiError extends Error implements ApiErrorFields {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: ApiErrorFields['errors'];
  readonly retryAfterMs: number | null;

  constructor(fields: ApiErrorFields) {
    const { code, status, title, detail, requestId, errors, retryAfterMs } = fields;
    super(`${status} ${code}: ${title}${detail === '' ? '' : `. ${detail}`}`);
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.requestId = requestId;
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
  }
}

/** There was no answer, or only a part of it: whether the request had an effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/**
 * Whether `error` is a failure that the API answered with, and has that code if one is given. It looks at the name, so that
 * two copies of this package in one program understand each other's errors.
 */
export function isApiError(error: unknown, code?: ApiErrorCode): error is ApiError {
  const isOurs = error instanceof Error && error.name === 'ApiError' && 'code' in error;
  return isOurs && (code === undefined || error.code === code);
}

/** Whether `error` says that no whole answer came. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return error instanceof Error && error.name === 'ConnectionError';
}

/** Whether the API understood a request and refused it, so that a repeat would be refused too. */
export function isRefusal(error: unknown): error is ApiError {
  return isApiError(error) && error.status < 500 && error.status !== 429;
}
