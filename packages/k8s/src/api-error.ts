import * as z from 'zod';

/** Kubernetes' error body. A response with the status 401 has no body. */
const Status = z.object({ reason: z.string().optional(), message: z.string().optional() });

/** A request that the API server refused. */
export class ApiServerError extends Error {
  override readonly name = 'ApiServerError';
  /** The HTTP status, or the `code` of an error event in a watch. */
  readonly status: number;
  /** Kubernetes' word for the error, such as `AlreadyExists`, `Conflict` or `Forbidden`; empty when there is none. */
  readonly reason: string;

  constructor(status: number, body: unknown) {
    const { reason = '', message = '' } = Status.safeParse(body).data ?? {};
    super(`The Kubernetes API responds ${[status, reason].filter(Boolean).join(' ')}: ${message}`);
    this.status = status;
    this.reason = reason;
  }

  /** Returns the error of a response with this body, which may be JSON or any other text. */
  static of(status: number, text: string): ApiServerError {
    try {
      return new ApiServerError(status, JSON.parse(text));
    } catch {
      return new ApiServerError(status, { message: text.slice(0, 200) });
    }
  }
}

/** Whether `error` is an ApiServerError with this status. */
export function hasStatus(error: unknown, status: number): error is ApiServerError {
  return error instanceof ApiServerError && error.status === status;
}
