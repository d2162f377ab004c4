import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pause, StartError } from '@session/kit';
import { firstFreePort, Service, type ServiceHost } from '@session/local';

const HOST = '127.0.0.1';
const POLL_MS = 50;

interface Backend {
  readonly name: string;
  readonly address: string;
  readonly checkPort: number;
}

interface BalancerOptions {
  readonly name: string;
  readonly check: string;
  /**
   * Whether connections end when their server is taken out. Connections through a dead node would stay silent, but a
   * draining server still has to send its answers.
   */
  readonly endsConnections: boolean;
  readonly backends: readonly Backend[];
}

interface Balancer extends AsyncDisposable {
  readonly url: string;
}

export function hasBalancer(): boolean {
  return spawnSync('haproxy', ['-v']).status === 0;
}

/**
 * Starts HAProxy, which takes a server out after two failed checks within a second, and waits longer than any request
 * takes. Throws a StartError without HAProxy.
 */
export async function startBalancer(
  options: BalancerOptions,
  folder: string,
  host: ServiceHost,
): Promise<Balancer> {
  if (!hasBalancer()) {
    throw new StartError('A balancer needs HAProxy: run `apt-get install haproxy`.');
  }
  const { name } = options;
  const port = await firstFreePort([], HOST);
  const file = path.join(folder, `${name}.cfg`);
  await writeFile(file, configuration(port, options));
  const url = `http://${HOST}:${port}`;
  const service = await Service.start(
    {
      name,
      command: 'haproxy',
      args: ['-db', '-f', file],
      options: {},
      hasChannel: false,
      // Nobody waits for the clients of a test: SIGTERM ends HAProxy at once.
      stop: { signal: 'SIGTERM', patienceMs: 5000 },
      async ready(_, signal) {
        for (;;) {
          signal.throwIfAborted();
          const answer = await fetch(url, { signal }).catch(() => undefined);
          if (answer?.ok) return;
          await pause(POLL_MS, signal);
        }
      },
    },
    host,
  );
  return { url, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

function configuration(
  port: number,
  { check, endsConnections, backends }: BalancerOptions,
): string {
  const often = 'inter 500ms fall 2 rise 1';
  const markedDown = endsConnections ? ' on-marked-down shutdown-sessions' : '';
  const servers = backends.map(
    ({ name, address, checkPort }) =>
      `  server ${name} ${address} check port ${checkPort} ${often}${markedDown}`,
  );
  return `${[
    'global',
    '  maxconn 4000',
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    // A request may wait for 25 s, and the log of an agent sends something every 15 s.
    '  timeout client 60s',
    '  timeout server 60s',
    '  timeout tunnel 1h',
    'frontend clients',
    `  bind ${HOST}:${port}`,
    '  default_backend servers',
    'backend servers',
    '  balance leastconn',
    `  option httpchk GET ${check}`,
    ...servers,
  ].join('\n')}\n`;
}
