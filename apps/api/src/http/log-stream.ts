import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

export type Log = Pick<FastifyBaseLogger, 'error' | 'info' | 'warn'>;

// A write for each line would take a tenth of a busy server's time.
const MIN_BYTES = 8192;
const MAX_DELAY_MS = 100;

/**
 * Returns a stream to stdout that writes many lines at a time, each at most 100 ms late, and all before the process
 * ends.
 */
export function openLogStream(): DestinationStream {
  return pino.destination({ sync: false, minLength: MIN_BYTES, periodicFlush: MAX_DELAY_MS });
}
