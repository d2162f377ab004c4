import { redactTokens } from './redact-tokens.ts';

/** The description of an error in a log. */
export interface DescribedError {
  readonly type: string;
  readonly message: string;
  /** Where the error was created: the frames of its stack, without the message. */
  readonly stack: string;
  readonly code?: unknown;
  readonly cause?: DescribedError;
  readonly [more: string]: unknown;
}

/**
 * Returns what a log may contain about an error and its causes. The description contains no token (LiveKit's errors
 * repeat tokens) and none of the fields in which libraries keep parameters and requests. For a failed statement it
 * contains the SQL text, but not the values (Drizzle repeats the values in the message, and so in the stack).
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

/** Returns the frames of a stack. A stack begins with the message, which the description contains already. */
function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');
}
