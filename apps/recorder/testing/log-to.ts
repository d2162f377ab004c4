import type { RecorderLog } from '../src/process/log.ts';

/** Returns a log that passes what is logged to `note`: by default, nobody reads it. */
export function logTo(note: (...line: unknown[]) => void = () => {}): RecorderLog {
  return { debug: note, error: note, info: note, warn: note };
}
