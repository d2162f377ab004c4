import { type DestinationStream, pino } from 'pino';

// A write for each line costs a busy server a tenth of its time.
const MIN_BYTES = 8192;
const LONGEST_MS = 100;

/** Gives what writes the log to stdout, many lines at a time and none later than 100 ms; at the end of the process the rest. */
export function openLogStream(): DestinationStream {
  return pino.destination({ sync: false, minLength: MIN_BYTES, periodicFlush: LONGEST_MS });
}
