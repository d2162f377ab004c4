import * as z from 'zod';

const Status = z.object({ reason: z.string().optional(), message: z.string().optional() });

export class ApiServerError extends Error {
  override readonly name = 'ApiServerError';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, body: unknown) {
    const { reason = '', message = '' } = Status.safeParse(body).data ?? {};
    super(`The Kubernetes API responds ${[status, reason].filter(Boolean).join(' ')}: ${message}`);
    this.status = status;
    this.reason = reason;
  }

  static of(status: number, text: string): ApiServerError {
    try {
      return new ApiServerError(status, JSON.parse(text));
    } catch {
      return new ApiServerError(status, { message: text.slice(0, 200) });
    }
  }
}

export function hasStatus(error: unknown, status: number): error is ApiServerError {
  return error instanceof ApiServerError && error.status === status;
}
