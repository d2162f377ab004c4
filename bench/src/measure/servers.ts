import { mkdir } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import { StartError } from '@session/kit';
import {
  firstFreePort,
  ProcessTable,
  type Progress,
  preparePostgres,
  Service,
  type ServiceHost,
} from '@session/local';

export const HOST = '127.0.0.1';

export interface BenchOptions {
  readonly rounds: number;
  readonly roundMs: number;
  readonly progress: Progress;
  readonly stop: AbortSignal;
}

export function machineText(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return `${availableParallelism()} cores of ${model}, ${memory}, Node ${process.versions.node}, a load of ${load} before`;
}

/**
 * Claims `folder`, and starts a PostgreSQL whose databases stay for the next run. Throws a StartError when another
 * bench runs.
 */
export async function startPostgres(
  folder: string,
  { progress, stop }: Pick<BenchOptions, 'progress' | 'stop'>,
  stack: AsyncDisposableStack,
): Promise<{ readonly adminUrl: string; readonly host: ServiceHost }> {
  await mkdir(folder, { recursive: true });
  const table = await ProcessTable.claim(path.join(folder, 'processes.json'));
  if (!table) throw new StartError('Another bench is running: try again when it has ended.');
  stack.use(table);
  const host: ServiceHost = {
    logFolder: folder,
    stop,
    forceStop: stop,
    say: progress.say,
    note: (...entry) => table.set(...entry),
  };
  const port = await firstFreePort([], HOST);
  const home = { folder: path.join(folder, 'postgres'), host: HOST, port, password: 'bench' };
  const { spec, url } = await progress.during('Starting PostgreSQL', () => preparePostgres(home));
  stack.use(await Service.start(spec, host));
  return { adminUrl: url, host };
}
