import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { ServiceSpec } from '../supervision/service.ts';
import { run } from '../supervision/tool.ts';
import { readRules, speedUp } from './rules.ts';

export const INSTALL_PROMETHEUS =
  'install it (Debian, Ubuntu: apt-get install prometheus; macOS: brew install prometheus)';

const SCRAPE_SECONDS = 15;
const SCRAPE_TIMEOUT_SECONDS = 5;
/** While the database is away, the API answers a scrape only after 1.5 s. */
const SHORTEST_SCRAPE_SECONDS = 3;
const KEPT = '7d';

export interface PrometheusOptions {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly metricsUrls: Readonly<Record<string, string>>;
  readonly speed: number;
}

const Flags = z.object({ data: z.record(z.string(), z.string()) });

export async function isPrometheusInstalled(env: NodeJS.ProcessEnv): Promise<boolean> {
  return await run('prometheus', ['--version'], { env }).then(
    () => true,
    () => false,
  );
}

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

/** Labels a process as the Prometheus operator labels its pod: rules and dashboards select by these labels. */
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

/** Whether the Prometheus that keeps its series in `data` answers: another one may have taken the port first. */
async function isReady(address: string, data: string, signal: AbortSignal): Promise<boolean> {
  const answer = await fetch(`http://${address}/api/v1/status/flags`, { signal }).catch(
    () => undefined,
  );
  const flags = Flags.safeParse(await answer?.json().catch(() => undefined));
  return flags.data?.data['storage.tsdb.path'] === data;
}
