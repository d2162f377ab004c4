import * as z from 'zod';

/** Kubernetes' own way to say no; an answer of 401 has no body at all. */
const Status = z.object({ reason: z.string().optional(), message: z.string().optional() });

/** What the API server has refused, and why. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status, or the `code` of an error within a watch. */
  readonly status: number;
  /** One word of Kubernetes': `AlreadyExists`, `Conflict`, `Forbidden`. */
  readonly reason: string;

  constructor(status: number, body: unknown) {
    const { reason = '', message = '' } = Status.safeParse(body).data ?? {};
    super(`The Kubernetes API answers ${[status, reason].filter(Boolean).join(' ')}: ${message}`);
    this.status = status;
    this.reason = reason;
  }

  /** Gives the error of an answer whose body is `text`. */
  static of(status: number, text: string): ApiError {
    try {
      return new ApiError(status, JSON.parse(text));
    } catch {
      return new ApiError(status, { message: text.slice(0, 200) });
    }
  }
}

/** Whether `error` is a refusal with that HTTP status. */
export function hasStatus(error: unknown, status: number): error is ApiError {
  return error instanceof ApiError && error.status === status;
}
