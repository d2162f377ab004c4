import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { ServiceSpec } from '../supervision/service.ts';
import { run } from '../supervision/tool.ts';
import { readRules, speedUp } from './rules.ts';

/** How to install what is missing. */
export const INSTALL_PROMETHEUS =
  'install it (Debian, Ubuntu: apt-get install prometheus; macOS: brew install prometheus)';

/** The manifests scrape this often, and wait so long for an answer. */
const SCRAPE_SECONDS = 15;
const SCRAPE_TIMEOUT_SECONDS = 5;
/** While the database is away, the API answers a scrape after a second and a half. */
const SHORTEST_SCRAPE_SECONDS = 3;
const KEPT = '7d';

export interface PrometheusOptions {
  /** Its configuration, its rules and its data are kept here. */
  readonly folder: string;
  /** A loopback address. */
  readonly host: string;
  readonly port: number;
  /** The metrics of each process, by its name. */
  readonly metricsUrls: Readonly<Record<string, string>>;
  /** By how much windows and delays are divided; 1 for the real ones. */
  readonly speed: number;
}

const Flags = z.object({ data: z.record(z.string(), z.string()) });

/** Whether there is a Prometheus on the path. */
export async function isPrometheusInstalled(env: NodeJS.ProcessEnv): Promise<boolean> {
  return await run('prometheus', ['--version'], { env }).then(
    () => true,
    () => false,
  );
}

/** Writes the configuration and the rules of a Prometheus, and returns the part to start. */
export async function preparePrometheus(options: PrometheusOptions): Promise<ServiceSpec> {
  const { folder, host, port, metricsUrls, speed } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const intervalSeconds = Math.max(SHORTEST_SCRAPE_SECONDS, Math.ceil(SCRAPE_SECONDS / speed));
  const config = {
    global: {
      scrape_interval: `${intervalSeconds}s`,
      scrape_timeout: `${Math.min(intervalSeconds, SCRAPE_TIMEOUT_SECONDS)}s`,
      evaluation_interval: speed === 1 ? `${intervalSeconds}s` : '1s',
    },
    rule_files: ['rules.json'],
    scrape_configs: [
      {
        job_name: 'session-service',
        static_configs: Object.entries(metricsUrls).map(([name, url]) => targetOf(name, url)),
      },
    ],
  };
  // JSON is YAML too.
  const write = async (name: string, content: unknown) =>
    await writeFile(path.join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  await write('rules.json', speedUp(await readRules(), speed));
  await write('prometheus.json', config);
  const address = `${host}:${port}`;
  const data = path.join(folder, 'data');
  return {
    name: 'prometheus',
    command: 'prometheus',
    args: [
      '--config.file=prometheus.json',
      `--storage.tsdb.path=${data}`,
      `--storage.tsdb.retention.time=${KEPT}`,
      `--web.listen-address=${address}`,
    ],
    options: { cwd: folder },
    hasChannel: false,
    stop: { signal: 'SIGTERM', patienceMs: 5000 },
    async ready(_, signal) {
      while (!(await isReady(address, data, signal))) await sleep(50, undefined, { signal });
    },
  };
}

/** Returns a process with the labels that the Prometheus operator gives to its pod, by which rules and dashboards choose. */
function targetOf(name: string, url: string): object {
  return {
    targets: [new URL(url).host],
    labels: {
      namespace: 'session-service',
      pod: name,
      container: name.startsWith('recorder') ? 'recorder' : name,
    },
  };
}

/** Whether the Prometheus that keeps its series in `data` answers. Another one may have taken the port first. */
async function isReady(address: string, data: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`http://${address}/api/v1/status/flags`, { signal }).catch(
    () => undefined,
  );
  const flags = Flags.safeParse(await answer?.json().catch(() => undefined));
  return flags.data?.data['storage.tsdb.path'] === data;
}
