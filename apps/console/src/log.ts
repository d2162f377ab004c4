import { hostname } from 'node:os';

/** The levels of the other programs' logs. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50, silent: 60 } as const;

type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

/** Returns the log of the process: JSON lines on stdout, in the shape of the other programs' lines. */
export function createLog(lowest: keyof typeof LEVELS, write = writeToStdout): Log {
  const writer =
    (level: number): Write =>
    (fields, msg) => {
      if (level < LEVELS[lowest]) return;
      const own = { level, time: Date.now(), pid: process.pid, hostname: hostname() };
      write(`${JSON.stringify({ ...own, ...fields, msg })}\n`);
    };
  return {
    debug: writer(LEVELS.debug),
    info: writer(LEVELS.info),
    warn: writer(LEVELS.warn),
    error: writer(LEVELS.error),
  };
}

function writeToStdout(line: string): void {
  process.stdout.write(line);
}
