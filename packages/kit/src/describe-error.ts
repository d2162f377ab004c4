import { redactTokens } from './redact-tokens.ts';

/** What a log says of an error. */
export interface DescribedError {
  readonly type: string;
  readonly message: string;
  /** Where it was made: the frames alone. */
  readonly stack: string;
  readonly code?: unknown;
  readonly cause?: DescribedError;
  readonly [more: string]: unknown;
}

/**
 * Gives what a log may say of an error and its causes: no token (LiveKit's errors repeat them), none of the fields in
 * which libraries keep parameters and requests, and of a failed statement its text, but not the values sent with it
 * (Drizzle repeats those in the message, and so in the stack).
 */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: redactTokens(String(error)), stack: '' };
  }
  const { name, message, stack = '' } = error;
  const isQuery = 'query' in error && 'params' in error;
  return {
    type: name,
    message: redactTokens(isQuery ? `Failed query: ${String(error.query)}` : message),
    ...('code' in error && { code: error.code }),
    stack: framesOf(stack),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

/** A stack begins with the message, which is said already. */
function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');
}
