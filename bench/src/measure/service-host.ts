import type { ProcessTable, Progress, ServiceHost } from '@session/local';

/** Returns what the servers of a bench are started with: their logs go to `folder`, their pids to `table`. */
export function serviceHostOf(
  folder: string,
  table: ProcessTable,
  { progress, stop }: { readonly progress: Progress; readonly stop: AbortSignal },
): ServiceHost {
  return {
    logFolder: folder,
    stop,
    forceStop: stop,
    say: progress.say,
    note: (...entry) => table.set(...entry),
  };
}
