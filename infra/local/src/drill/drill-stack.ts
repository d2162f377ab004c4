import { StartError } from '@session/kit';
import { openEmptyFolder } from '../stack/empty-folder.ts';
import { readStackFile } from '../stack/stack-file.ts';
import { runStack } from '../stack/stack-process.ts';

/** A stack that drills break. */
export interface DrillStack {
  /** The folder of the stack, absolute. */
  readonly folder: string;
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly prometheusUrl: string;
  /** By how much the windows and delays of the rules are divided. */
  readonly speed: number;
  /** Aborts when the drill should end. */
  readonly stop: AbortSignal;
  /** Returns the pids of the stack's current processes, by name. */
  pids(): Promise<Readonly<Record<string, number>>>;
}

interface DrillStackOptions extends Pick<DrillStack, 'folder' | 'speed' | 'stop'> {
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Starts a stack with a Prometheus, as a process of its own with `env`, in a folder that is emptied before: what an earlier drill broke
 * or said is gone. Throws a StartError with its output when it does not start.
 */
export async function startDrillStack({
  folder,
  speed,
  stop,
  env,
}: DrillStackOptions): Promise<AsyncDisposable & DrillStack> {
  await openEmptyFolder(folder);
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
