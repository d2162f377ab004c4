import { isApiError, isConnectionError } from '@session/client';
import { AppError } from '@session/kit';

/** How often what failed, by its name. */
export type Failures = Readonly<Record<string, number>>;

/** Returns the code of an answer or of an error of ours, `connection` where no answer came, and otherwise the name of the error. */
export function codeOfFailure(error: unknown): string {
  if (isApiError(error) || error instanceof AppError) return error.code;
  if (isConnectionError(error)) return 'connection';
  return error instanceof Error ? error.name : 'unknown';
}

/** Adds up failures. */
export function sumOfFailures(all: readonly Failures[]): Failures {
  const sum: Record<string, number> = {};
  for (const failures of all) {
    for (const [code, count] of Object.entries(failures)) sum[code] = (sum[code] ?? 0) + count;
  }
  return sum;
}
