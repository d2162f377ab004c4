import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import {
  firstFreePort,
  nodeFlags,
  Service,
  type ServiceHost,
  type StackFile,
} from '@session/local';
import { provideCheckout } from '../measure/checkout.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const HOST = '127.0.0.1';
const STOP_TIMEOUT_MS = 45_000;
/** The balancer takes an API out after two checks, half a second apart. */
export const DRAIN_DELAY_SECONDS = 3;

interface Beside {
  readonly file: StackFile;
  readonly folder: string;
  readonly host: ServiceHost;
  readonly parts: AsyncDisposableStack;
}

export interface FurtherProgram {
  readonly name: string;
  readonly url: string;
  readonly internalUrl: string;
}

/** Whether this clone has a commit: a shallow clone lacks older commits. */
export function hasCommit(ref: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${ref}^{commit}`], { cwd: root }).status === 0;
}

export function lastTag(): string | undefined {
  const found = spawnSync('git', ['describe', '--tags', '--abbrev=0'], { cwd: root });
  return found.status === 0 ? found.stdout.toString().trim() : undefined;
}

export async function startFormerRecorder(
  ref: string,
  redundancy: number,
  beside: Beside,
): Promise<FurtherProgram> {
  const name = 'recorder-former';
  return await start(beside, name, await provideCheckout(ref), 'recorder', {
    RECORDER_REDUNDANCY: String(redundancy),
    RECORDER_SPOOL_DIR: path.join(beside.folder, 'spool', name),
  });
}

export async function startFormerApi(ref: string, beside: Beside): Promise<FurtherProgram> {
  return await startApi(beside, 'api-former', await provideCheckout(ref), {});
}

export async function startFurtherApis(count: number, beside: Beside): Promise<FurtherProgram[]> {
  const apis: FurtherProgram[] = [];
  const env = { DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_SECONDS) };
  for (let index = 2; index <= count; index += 1) {
    apis.push(await startApi(beside, `api-${index}`, root, env));
  }
  return apis;
}

async function startApi(
  beside: Beside,
  name: string,
  checkout: string,
  env: NodeJS.ProcessEnv,
): Promise<FurtherProgram> {
  return await start(beside, name, checkout, 'api', {
    JWT_SECRET: beside.file.jwtSecret,
    AGENT_PROCESS_DIR: path.join(beside.folder, 'agents', name),
    ...env,
  });
}

async function start(
  { file, host, parts }: Beside,
  name: string,
  checkout: string,
  app: 'api' | 'recorder',
  variables: NodeJS.ProcessEnv,
): Promise<FurtherProgram> {
  const port = await firstFreePort([], HOST);
  const internalPort = await firstFreePort([], HOST, new Set([port]));
  const env = {
    ...process.env,
    DATABASE_URL: file.databaseUrl,
    MEDIA_URL: file.mediaUrl,
    MEDIA_API_KEY: file.mediaApiKey,
    MEDIA_API_SECRET: file.mediaApiSecret,
    HOST,
    PORT: String(port),
    METRICS_PORT: String(internalPort),
    ...variables,
  };
  const flags = checkout === root ? nodeFlags(app) : [];
  const spec = {
    name,
    command: process.execPath,
    args: [...flags, '--conditions=@source', path.join(checkout, `apps/${app}/src/main.ts`)],
    options: { cwd: checkout, env },
    hasChannel: true,
    stop: { signal: 'SIGTERM', patienceMs: STOP_TIMEOUT_MS },
    ready: async (child: NodeJS.EventEmitter, signal: AbortSignal) =>
      void (await once(child, 'message', { signal })),
  } as const;
  parts.use(await Service.start(spec, host));
  return {
    name,
    url: `http://${HOST}:${port}`,
    internalUrl: `http://${HOST}:${internalPort}`,
  };
}
