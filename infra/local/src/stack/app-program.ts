import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { ServiceSpec } from '../supervision/service.ts';
import { bypassProxy } from './bypass-proxy.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

// A recorder drains for up to 25 s; the API's requests end within their own time limits.
const STOP_TIMEOUT_MS = 30_000;

type BoundedApp = 'api' | 'recorder';

/** Returns the flags of Node for an app: the file with its settings of Node, as in the app's image. */
export function nodeFlags(app: BoundedApp): string[] {
  return [`--env-file=${nodeEnvFile(app)}`];
}

/** Returns the NODE_OPTIONS that the file of an app names, followed by the caller's, such as those of a debugger. */
export function nodeOptions(app: BoundedApp, callers: string | undefined): string {
  const { NODE_OPTIONS = '' } = nodeEnv(app);
  return callers ? `${NODE_OPTIONS} ${callers}` : NODE_OPTIONS;
}

function nodeEnv(app: BoundedApp) {
  return parseEnv(readFileSync(nodeEnvFile(app), 'utf8'));
}

function nodeEnvFile(app: BoundedApp): string {
  return path.join(root, 'apps', app, 'node.env');
}

/** The program runs from its source, sends `ready` on its channel, and stops when that closes. */
export function appProgram(
  name: string,
  app: BoundedApp | 'console',
  env: NodeJS.ProcessEnv,
): ServiceSpec {
  const ownEnv =
    app === 'console'
      ? env
      : { ...nodeEnv(app), ...env, NODE_OPTIONS: nodeOptions(app, env['NODE_OPTIONS']) };
  return {
    name,
    command: process.execPath,
    args: [
      '--conditions=@source',
      '--disable-sigusr1',
      path.join(root, 'apps', app, 'src/main.ts'),
    ],
    options: { cwd: root, env: { ...ownEnv, ...bypassProxy(env) } },
    hasChannel: true,
    stop: { signal: 'SIGTERM', patienceMs: STOP_TIMEOUT_MS },
    async ready(child, signal) {
      await once(child, 'message', { signal });
    },
  };
}
