import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  openEmptyFolder,
  readStackFile,
  runStack,
  type ServiceHost,
  type StackFile,
} from '@session/local';
import type { MediaServer } from '@session/media';
import { startBalancer } from './balancer.ts';
import { startDatabasePair } from './database-pair.ts';
import {
  FORMER_API,
  FORMER_RECORDER,
  startFormerApi,
  startFormerRecorder,
} from './former-release.ts';
import { DRAIN_DELAY_SECONDS, startFurtherApis } from './further-apis.ts';
import { startMediaNodes } from './media-nodes.ts';
import type { ChaosOptions } from './options.ts';

const root = path.resolve(import.meta.dirname, '../../..');

interface TestedStack extends AsyncDisposable {
  /** Where clients send requests, by turns. */
  readonly apiUrls: readonly string[];
  readonly media: MediaServer;
  /** Returns the pids of the stack's current processes, by name. */
  readonly pids: () => Promise<Readonly<Record<string, number>>>;
  /** Makes the Redis of the media server's nodes lose its data; undefined where there is none. */
  readonly flushRedis: (() => Promise<void>) | undefined;
  /** Whether the recorder or the API reports that it works. */
  readonly isHealthy: (part: string) => Promise<boolean>;
  /** See DatabasePair; undefined where the database has no standby. */
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
 * Starts a stack like `npm start`, on free ports, and beside it what `options` name: a standby of the database, several nodes of
 * the media server, further APIs, and a former recorder and API. Throws a StartError with its last output when it ends too early.
 */
export async function startStack(options: StackOptions, stop: AbortSignal): Promise<TestedStack> {
  const { formerApi, formerRecorder, mediaNodes, standby } = options;
  const folder = path.join(root, '.cache', options.folder);
  await openEmptyFolder(folder);
  await using parts = new AsyncDisposableStack();
  const pids: Record<string, number> = {};
  const host: ServiceHost = {
    logFolder: path.join(folder, 'logs'),
    stop,
    forceStop: stop,
    say: () => {},
    note: async (name, pid) => {
      // Faults hit what a name begins with, and never a balancer.
      if (!name.includes('balancer')) pids[name] = pid;
    },
  };
  await mkdir(host.logFolder, { recursive: true });
  const nodes = mediaNodes > 1 ? await startMediaNodes(mediaNodes, folder, host, parts) : undefined;
  const pair = standby && (await startDatabasePair(standby, folder, host, parts));
  const env = variables(options, pair?.url, nodes?.media);
  const { file } = parts.use(await runStack(folder, env, stop));
  nodes?.webhooks.leadTo(await webhookPorts(folder));
  const own = { ...options, folder };
  const former =
    formerRecorder === undefined
      ? undefined
      : parts.use(await startFormerRecorder(formerRecorder, file, own, stop));
  const formerApiProcess =
    formerApi === undefined
      ? undefined
      : parts.use(await startFormerApi(formerApi, file, own, stop));
  const balanced = await startBalanced(file, own, host, parts);
  const urls: Readonly<Record<string, string>> = {
    ...file.metricsUrls,
    ...balanced.internalUrls,
    ...(former && { [FORMER_RECORDER]: former.internalUrl }),
  };
  const owned = parts.move();
  const { mediaUrl: url, mediaApiKey: apiKey, mediaApiSecret: apiSecret } = file;
  return {
    apiUrls: [balanced.url, ...(formerApiProcess ? [formerApiProcess.url] : [])],
    media: { url, apiKey, apiSecret },
    pids: async () => ({
      ...(await readStackFile(folder))?.pids,
      ...(former && { [FORMER_RECORDER]: former.pid() }),
      ...(formerApiProcess && { [FORMER_API]: formerApiProcess.pid() }),
      ...pids,
    }),
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

/** Returns the ports at which the recorders of a stack take webhooks. The stack keeps its ports in a file. */
async function webhookPorts(folder: string): Promise<number[]> {
  const ports: unknown = JSON.parse(await readFile(path.join(folder, 'ports.json'), 'utf8'));
  return Object.entries(Object(ports)).flatMap(([name, port]) =>
    name.endsWith(' (webhooks)') ? [Number(port)] : [],
  );
}

/** The APIs of a stack, and the address at which clients reach them. */
interface BalancedApis {
  readonly url: string;
  readonly internalUrls: Readonly<Record<string, string>>;
}

/** Starts the further APIs and the balancer that `options` ask for, if they do. Disposal of `parts` stops them. */
async function startBalanced(
  file: StackFile,
  { apis, folder }: Pick<ChaosOptions, 'apis' | 'folder'>,
  host: ServiceHost,
  parts: AsyncDisposableStack,
): Promise<BalancedApis> {
  if (apis === 1) return { url: file.apiUrl, internalUrls: {} };
  const further = await startFurtherApis(apis, file, folder, host, parts);
  const all = [{ name: 'api', url: file.apiUrl, internalUrl: file.metricsUrl ?? '' }, ...further];
  const backends = all.map((api) => ({
    name: api.name,
    address: new URL(api.url).host,
    checkPort: Number(new URL(api.internalUrl).port),
  }));
  const { url } = parts.use(
    await startBalancer(
      { name: 'api-balancer', check: '/ready', endsConnections: false, backends },
      folder,
      host,
    ),
  );
  const internalUrls = Object.fromEntries(further.map((api) => [api.name, api.internalUrl]));
  return { url, internalUrls };
}

/** Whether a part answers at its internal port: an API that it takes work, a recorder, also of a former release, that it is healthy. */
async function answers(url: string, name: string): Promise<boolean> {
  const route = name.startsWith('api') ? '/ready' : '/health';
  const answer = await fetch(new URL(route, url)).catch(() => undefined);
  return answer?.ok ?? false;
}
