import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { inject } from 'vitest';
import { freePort } from './free-port.ts';

const HOST = '127.0.0.1';
const run = promisify(execFile);

/** A PostgreSQL server of its own that is in recovery, and so takes no writes. It has no primary. */
export interface Standby extends AsyncDisposable {
  readonly url: string;
}

/** Starts a standby with the programs of the run's PostgreSQL. Resolves when it answers. */
export async function startStandby(): Promise<Standby> {
  const { bin, data } = await placesOf(inject('postgres').adminUrl);
  const { uid, gid } = await stat(data);
  const folder = await mkdtemp(path.join(path.dirname(data), 'standby-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await run('chown', [`${uid}:${gid}`, folder]);
  const options = { cwd: folder, env: { LC_ALL: 'C' }, ...(isRoot && { uid, gid }) };
  const login = [
    '--username=postgres',
    '--auth=trust',
    '--no-sync',
    '--encoding=UTF8',
    '--locale=C',
  ];
  await run(path.join(bin, 'initdb'), ['-D', path.join(folder, 'data'), ...login], options);
  await writeFile(path.join(folder, 'data', 'standby.signal'), '');
  const port = await freePort(HOST);
  const settings = [`listen_addresses=${HOST}`, 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(
    path.join(bin, 'postgres'),
    ['-D', 'data', '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...options, stdio: 'ignore' },
  );
  const exit = once(server, 'exit');
  stack.defer(async () => {
    server.kill('SIGINT');
    await exit;
  });
  const url = `postgres://postgres@${HOST}:${port}/postgres`;
  await untilItAnswers(url);
  const owned = stack.move();
  return { url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Returns where the programs and the data of a server on this machine are. */
export async function placesOf(url: string): Promise<{ bin: string; data: string }> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  const [row] = await admin`
    select current_setting('data_directory') as data, setting as bin
    from pg_config where name = 'BINDIR'`;
  await admin.end();
  return { bin: String(row?.['bin']), data: String(row?.['data']) };
}

export async function untilItAnswers(url: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
    const answer = await client`select 1`.catch((error: unknown) => error);
    await client.end({ timeout: 1 });
    if (!(answer instanceof Error)) return;
    if (Date.now() > deadline) throw answer;
    await sleep(50);
  }
}
