import { redactTokens } from '@session/media';
import { type Logger, pino } from 'pino';

/** Gives the log of the process: JSON lines on stdout. Of errors it shows little, and no token: LiveKit's repeat them. */
export function createLog(level: string): Logger {
  return pino({ level, serializers: { err: describeError } });
}

/** Gives what the log says of an error: none of the fields in which libraries keep parameters and requests. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: redactTokens(String(error)) };
  const { name, message, stack = '' } = error;
  return {
    type: name,
    message: redactTokens(message),
    ...('code' in error && { code: error.code }),
    stack: redactTokens(stack),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
