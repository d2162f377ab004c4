import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  chooseMediaPorts,
  openEmptyFolder,
  readStackFile,
  runStack,
  type ServiceHost,
} from '@session/local';
import type { MediaServer } from '@session/media';
import { startBalancer } from './balancer.ts';
import { startDatabasePair } from './database-pair.ts';
import {
  DRAIN_DELAY_SECONDS,
  type FurtherProgram,
  startFormerApi,
  startFormerRecorder,
  startFurtherApis,
} from './further-programs.ts';
import { startMediaNodes } from './media-nodes.ts';
import type { ChaosOptions } from './options.ts';

const root = path.resolve(import.meta.dirname, '../../..');

interface TestedStack extends AsyncDisposable {
  readonly apiUrls: readonly string[];
  readonly media: MediaServer;
  readonly pids: () => Promise<Readonly<Record<string, number>>>;
  readonly flushRedis: (() => Promise<void>) | undefined;
  readonly isHealthy: (part: string) => Promise<boolean>;
  readonly failOver: (() => Promise<void>) | undefined;
}

type StackOptions = Pick<
  ChaosOptions,
  | 'apis'
  | 'folder'
  | 'formerApi'
  | 'formerRecorder'
  | 'mediaNodes'
  | 'recorders'
  | 'redundancy'
  | 'standby'
>;

/**
 * Starts a stack like `npm start` on free ports, with what `options` name. Throws a StartError with its last output
 * when it ends too early.
 */
export async function startStack(options: StackOptions, stop: AbortSignal): Promise<TestedStack> {
  const { formerApi, formerRecorder, mediaNodes, standby } = options;
  const folder = path.join(root, '.cache', options.folder);
  await openEmptyFolder(folder);
  await chooseMediaPorts(folder);
  await using parts = new AsyncDisposableStack();
  const pids: Record<string, number> = {};
  const host: ServiceHost = {
    logFolder: path.join(folder, 'logs'),
    stop,
    forceStop: stop,
    say: () => {},
    note: async (name, pid) => {
      // Faults choose processes by the beginning of their names, and never a balancer.
      if (!name.includes('balancer')) pids[name] = pid;
    },
  };
  await mkdir(host.logFolder, { recursive: true });
  const nodes = mediaNodes > 1 ? await startMediaNodes(mediaNodes, folder, host, parts) : undefined;
  const pair = standby && (await startDatabasePair(standby, folder, host, parts));
  const env = variables(options, pair?.url, nodes?.media);
  const { file } = parts.use(await runStack(folder, env, stop));
  nodes?.webhooks.leadTo(await webhookPorts(folder));
  const beside = { file, folder, host, parts };
  const formerPrograms = {
    recorder:
      formerRecorder && (await startFormerRecorder(formerRecorder, options.redundancy, beside)),
    api: formerApi && (await startFormerApi(formerApi, beside)),
  };
  const further = await startFurtherApis(options.apis, beside);
  const own = { name: 'api', url: file.apiUrl, internalUrl: file.metricsUrl ?? '' };
  const apiUrl = further.length === 0 ? own.url : await balance([own, ...further], beside);
  const besides = [...Object.values(formerPrograms), ...further];
  const urls: Readonly<Record<string, string>> = {
    ...file.metricsUrls,
    ...Object.fromEntries(besides.flatMap((one) => (one ? [[one.name, one.internalUrl]] : []))),
  };
  const owned = parts.move();
  const { mediaUrl: url, mediaApiKey: apiKey, mediaApiSecret: apiSecret } = file;
  return {
    apiUrls: [apiUrl, ...(formerPrograms.api ? [formerPrograms.api.url] : [])],
    media: { url, apiKey, apiSecret },
    pids: async () => ({ ...(await readStackFile(folder))?.pids, ...pids }),
    flushRedis: nodes && (async () => await nodes.flushRedis()),
    failOver: pair && (async () => await pair.failOver()),
    isHealthy: async (name) => await answers(urls[name] ?? '', name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function variables(
  { apis, recorders, redundancy }: StackOptions,
  databaseUrl: string | undefined,
  media: MediaServer | undefined,
): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: databaseUrl ?? '',
    MEDIA_URL: media?.url ?? '',
    ...(media && { MEDIA_API_KEY: media.apiKey, MEDIA_API_SECRET: media.apiSecret }),
    RECORDERS: String(recorders),
    RECORDER_REDUNDANCY: String(redundancy),
    // One account has all rooms.
    SESSION_CAPACITY_PER_ACCOUNT: '0',
    ...(apis > 1 && { DRAIN_DELAY_SECONDS: String(DRAIN_DELAY_SECONDS) }),
  };
}

async function webhookPorts(folder: string): Promise<number[]> {
  const ports: unknown = JSON.parse(await readFile(path.join(folder, 'ports.json'), 'utf8'));
  return Object.entries(Object(ports)).flatMap(([name, port]) =>
    name.endsWith(' (webhooks)') ? [Number(port)] : [],
  );
}

async function balance(
  apis: readonly FurtherProgram[],
  { folder, host, parts }: { folder: string; host: ServiceHost; parts: AsyncDisposableStack },
): Promise<string> {
  const backends = apis.map(({ name, url, internalUrl }) => ({
    name,
    address: new URL(url).host,
    checkPort: Number(new URL(internalUrl).port),
  }));
  const options = { name: 'api-balancer', check: '/ready', endsConnections: false, backends };
  return parts.use(await startBalancer(options, folder, host)).url;
}

/**
 * Whether a part answers at its internal port: `/ready` of an API, and `/health` of a recorder, which a former release
 * has too.
 */
async function answers(url: string, name: string): Promise<boolean> {
  const route = name.startsWith('api') ? '/ready' : '/health';
  const answer = await fetch(new URL(route, url)).catch(() => undefined);
  return answer?.ok ?? false;
}
