import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const HOST = '127.0.0.1';
/** The user `nobody`: PgBouncer does not run as root. */
const NOBODY = 65_534;
const run = promisify(execFile);

export interface Pooler extends AsyncDisposable {
  urlOf(databaseUrl: string): string;
}

/** Returns the version of the installed PgBouncer, such as 1.18; undefined where there is none. */
export async function pgbouncerVersion(): Promise<number | undefined> {
  const said = await run('pgbouncer', ['--version']).catch(() => undefined);
  const [, version] = /PgBouncer (\d+\.\d+)/.exec(said?.stdout ?? '') ?? [];
  return version === undefined ? undefined : Number(version);
}

/** Starts a PgBouncer in front of the server of `databaseUrl`, with no setting that makes it accept parameters. */
export async function startPgbouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction',
): Promise<Pooler> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'pgbouncer-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const port = await freePort(HOST);
  const file = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `
[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = ${HOST}
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 20
max_client_conn = 200
${mode === 'transaction' && ((await pgbouncerVersion()) ?? 0) >= 1.21 ? 'max_prepared_statements = 200' : ''}
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const owned of [folder, file]) await chown(owned, NOBODY, NOBODY);
  const options = { ...(isRoot && { uid: NOBODY, gid: NOBODY }), stdio: 'ignore' as const };
  const server = spawn('pgbouncer', ['--quiet', file], options);
  const exit = once(server, 'exit');
  stack.defer(async () => {
    server.kill('SIGKILL');
    await exit;
  });
  while (!(await listens(port))) {
    if (server.exitCode !== null) throw new Error(`PgBouncer has ended with ${server.exitCode}`);
    await sleep(20);
  }
  const owned = stack.move();
  return {
    urlOf: (url) => Object.assign(new URL(url), { host: `${HOST}:${port}` }).href,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, HOST);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
