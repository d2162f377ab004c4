import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

export type Log = Pick<FastifyBaseLogger, 'error' | 'info' | 'warn'>;

// One write for each line costs a busy server a tenth of its time.
const MIN_BYTES = 8192;
const MAX_DELAY_MS = 100;

/** Returns a stream to stdout that writes many lines at a time, each at most 100 ms late, and all before the process ends. */
export function openLogStream(): DestinationStream {
  return pino.destination({ sync: false, minLength: MIN_BYTES, periodicFlush: MAX_DELAY_MS });
}
