import type { Traces } from './traces.ts';

interface ExportLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Logs when spans begin to be dropped, and when all are exported again, with the number of dropped spans. */
export function logExports(traces: Traces | undefined, log: ExportLog): void {
  traces?.observeExports(({ error, dropped }) => {
    if (error === undefined) log.info({ dropped }, 'resumed exporting traces');
    else log.warn({ code: codeOf(error), dropped }, 'dropping traces: export failed or queue full');
  });
}

/** Returns only a code, because the error's message may repeat the receiver's address, and with it a password. */
function codeOf(error: Error): string | number {
  if (!('code' in error)) return error.name;
  const { code } = error;
  return typeof code === 'string' || typeof code === 'number' ? code : error.name;
}
