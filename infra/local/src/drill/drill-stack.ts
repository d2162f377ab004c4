import { StartError } from '@session/kit';
import { openEmptyFolder } from '../stack/empty-folder.ts';
import { chooseMediaPorts } from '../stack/media-ports.ts';
import { readStackFile } from '../stack/stack-file.ts';
import { runStack } from '../stack/stack-process.ts';

export interface DrillStack {
  readonly folder: string;
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly prometheusUrl: string;
  /** Divides the windows and delays of the rules. */
  readonly speed: number;
  readonly stop: AbortSignal;
  pids(): Promise<Readonly<Record<string, number>>>;
}

interface DrillStackOptions extends Pick<DrillStack, 'folder' | 'speed' | 'stop'> {
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Starts a stack with a Prometheus in a folder that is emptied first. Throws a StartError with its output when it does
 * not start.
 */
export async function startDrillStack({
  folder,
  speed,
  stop,
  env,
}: DrillStackOptions): Promise<AsyncDisposable & DrillStack> {
  await openEmptyFolder(folder);
  await chooseMediaPorts(folder);
  await using parts = new AsyncDisposableStack();
  const monitoring = { MONITORING: '1', MONITORING_SPEED: String(speed) };
  const { file } = parts.use(await runStack(folder, { ...env, ...monitoring }, stop));
  const { apiUrl, databaseUrl, prometheusUrl } = file;
  if (prometheusUrl === null)
    throw new StartError(`The stack has no Prometheus: see ${folder}/logs.`);
  const owned = parts.move();
  return {
    folder,
    apiUrl,
    databaseUrl,
    prometheusUrl,
    speed,
    stop,
    pids: async () => (await readStackFile(folder))?.pids ?? {},
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
