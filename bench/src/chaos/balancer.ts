import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '@session/kit';
import { firstFreePort, Service, type ServiceHost } from '@session/local';

const HOST = '127.0.0.1';
const POLL_MS = 50;

/** An API behind the balancer. */
export interface BalancedApi {
  readonly name: string;
  readonly url: string;
  /** The API's internal port, with `/ready`. */
  readonly internalUrl: string;
}

interface Balancer extends AsyncDisposable {
  readonly url: string;
}

/** Whether this machine has HAProxy. */
export function hasBalancer(): boolean {
  return spawnSync('haproxy', ['-v']).status === 0;
}

/**
 * Starts HAProxy on a free port in front of `apis`, as the guide says: it asks for `/ready`, and waits longer than any request
 * does. Throws a StartError where there is no HAProxy.
 */
export async function startBalancer(
  apis: readonly BalancedApi[],
  folder: string,
  host: ServiceHost,
): Promise<Balancer> {
  if (!hasBalancer()) {
    throw new StartError('--apis needs HAProxy: run `apt-get install haproxy`.');
  }
  const port = await firstFreePort([], HOST);
  const file = path.join(folder, 'haproxy.cfg');
  await writeFile(file, configuration(port, apis));
  const url = `http://${HOST}:${port}`;
  const service = await Service.start(
    {
      name: 'balancer',
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
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        }
      },
    },
    host,
  );
  return { url, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

function configuration(port: number, apis: readonly BalancedApi[]): string {
  const servers = apis.map(({ name, url, internalUrl }) => {
    const check = `check port ${new URL(internalUrl).port} inter 500ms fall 2 rise 1`;
    return `  server ${name} ${new URL(url).host} ${check}`;
  });
  return `${[
    'global',
    '  maxconn 4000',
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    // A request may wait for 25 s, and the log of an agent sends something every 15 s.
    '  timeout client 60s',
    '  timeout server 60s',
    'frontend clients',
    `  bind ${HOST}:${port}`,
    '  default_backend apis',
    'backend apis',
    '  balance leastconn',
    '  option httpchk GET /ready',
    ...servers,
  ].join('\n')}\n`;
}
