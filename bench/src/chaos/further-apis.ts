import { once } from 'node:events';
import path from 'node:path';
import {
  firstFreePort,
  nodeFlags,
  Service,
  type ServiceHost,
  type StackFile,
} from '@session/local';

const root = path.resolve(import.meta.dirname, '../../..');
const HOST = '127.0.0.1';
/** Longer than the requests of an API may take after SIGTERM. */
const STOP_TIMEOUT_MS = 45_000;

/** An API behind a balancer. */
interface BalancedApi {
  readonly name: string;
  readonly url: string;
  /** The API's internal port, with `/ready`. */
  readonly internalUrl: string;
}

/**
 * How long an API of a balanced stack takes requests after SIGTERM: the balancer takes it out after two checks, half a second
 * apart.
 */
export const DRAIN_DELAY_SECONDS = 3;

/** Starts the APIs `api-2` and so on beside the one of a stack, and starts each again when it ends. Disposal of `parts` stops them. */
export async function startFurtherApis(
  count: number,
  file: StackFile,
  folder: string,
  host: ServiceHost,
  parts: AsyncDisposableStack,
): Promise<BalancedApi[]> {
  const apis: BalancedApi[] = [];
  const ports = new Set<number>();
  for (let index = 2; index <= count; index += 1) {
    const name = `api-${index}`;
    const port = await firstFreePort([], HOST, ports);
    const metricsPort = await firstFreePort([], HOST, ports.add(port));
    ports.add(metricsPort);
    const env = {
      ...process.env,
      DATABASE_URL: file.databaseUrl,
      MEDIA_URL: file.mediaUrl,
      MEDIA_API_KEY: file.mediaApiKey,
      MEDIA_API_SECRET: file.mediaApiSecret,
      JWT_SECRET: file.jwtSecret,
      HOST,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_SECONDS),
      AGENT_PROCESS_DIR: path.join(folder, 'agents', name),
    };
    const spec = {
      name,
      command: process.execPath,
      args: [...nodeFlags('api'), '--conditions=@source', path.join(root, 'apps/api/src/main.ts')],
      options: { cwd: root, env },
      hasChannel: true,
      stop: { signal: 'SIGTERM', patienceMs: STOP_TIMEOUT_MS },
      ready: async (child: NodeJS.EventEmitter, signal: AbortSignal) =>
        void (await once(child, 'message', { signal })),
    } as const;
    parts.use(await Service.start(spec, host));
    apis.push({
      name,
      url: `http://${HOST}:${port}`,
      internalUrl: `http://${HOST}:${metricsPort}`,
    });
  }
  return apis;
}
