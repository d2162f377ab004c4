import { describeError } from '@session/kit';
import { type Logger, pino } from 'pino';

export function createLog(level: string): Logger {
  return pino({ level, serializers: { err: describeError } });
}
