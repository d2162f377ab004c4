import { describeError } from '@session/kit';
import { type Logger, pino } from 'pino';

/** Returns the log of the process: JSON lines on stdout. */
export function createLog(level: string): Logger {
  return pino({ level, serializers: { err: describeError } });
}
