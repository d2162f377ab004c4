import { describeError } from '@session/kit';
import { type Logger, pino } from 'pino';

export type RecorderLog = Pick<Logger, 'debug' | 'error' | 'info' | 'warn'>;

export function createLog(level: string): Logger {
  return pino({ level, serializers: { err: describeError } });
}
