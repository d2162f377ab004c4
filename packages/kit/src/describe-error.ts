import { redactTokens } from './redact-tokens.ts';

export interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string;
  readonly code?: unknown;
  readonly cause?: DescribedError;
  readonly [more: string]: unknown;
}

/**
 * Returns what a log may contain about an error and its causes. It contains no token (LiveKit's errors repeat them) and
 * no parameters. For a failed statement, it has the SQL text without the values, which Drizzle repeats.
 */
export function describeError(error: unknown): DescribedError {
  return describe(error, new Set());
}

/** `described` holds the errors whose causes lead here, because a chain of causes may be circular. */
function describe(error: unknown, described: Set<unknown>): DescribedError {
  if (!(error instanceof Error)) {
    return { type: typeof error, message: redactTokens(textOf(error)), stack: '' };
  }
  described.add(error);
  const { cause, name, message, stack = '' } = error;
  const isQuery = 'query' in error && 'params' in error;
  return {
    type: name,
    message: redactTokens(isQuery ? `Failed query: ${String(error.query)}` : message),
    ...('code' in error && { code: error.code }),
    stack: framesOf(stack),
    // A failure, and the failure of a disposal after it.
    ...(error instanceof SuppressedError && {
      suppressed: describe(error.suppressed, described),
      error: describe(error.error, described),
    }),
    ...(cause !== undefined && !described.has(cause) && { cause: describe(cause, described) }),
  };
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^ +at /.test(line))
    .join('\n');
}
