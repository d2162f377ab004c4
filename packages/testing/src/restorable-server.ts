import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { inject } from 'vitest';
import { freePort } from './free-port.ts';
import { placesOf, untilItAnswers } from './standby.ts';

const HOST = '127.0.0.1';
const run = promisify(execFile);

interface Places {
  readonly bin: string;
  readonly folder: string;
  /** The user that runs the server; undefined for the current one. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Starts a server with the programs of the run's PostgreSQL. Resolves when it answers. */
export async function startRestorableServer(): Promise<RestorableServer> {
  const { bin, data: neighbour } = await placesOf(inject('postgres').adminUrl);
  const { uid, gid } = await stat(neighbour);
  const folder = await mkdtemp(path.join(path.dirname(neighbour), 'restorable-'));
  const user = process.getuid?.() === 0 ? { uid, gid } : undefined;
  const server = new RestorableServer({ bin, folder, user });
  try {
    await server.create();
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

/** A PostgreSQL server of a test's own that archives its WAL, so that it can be restored to a point in time. */
export class RestorableServer implements AsyncDisposable {
  readonly #places: Places;
  #port = 0;
  readonly #running = new Map<string, ChildProcess>();
  #standbyPort = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  /** A superuser's URL of the database `postgres`. Programs connect to this address. */
  get url(): string {
    return urlAt(this.#port);
  }

  /** Creates the data, and starts the server. For `startRestorableServer` only. */
  async create(): Promise<void> {
    const { bin, folder } = this.#places;
    await mkdir(this.#in('archive'));
    await this.#own(folder);
    const login = [
      '--username=postgres',
      '--auth=trust',
      '--no-sync',
      '--encoding=UTF8',
      '--locale=C',
    ];
    await run(path.join(bin, 'initdb'), ['-D', this.#in('data'), ...login], this.#options);
    // Another process may take a free port first.
    for (let left = 3; left > 0 && !this.#isRunning('data'); left -= 1) {
      this.#port = await freePort(HOST);
      await this.#start('data', this.#port).catch((error: unknown) => {
        if (left === 1) throw error;
      });
    }
  }

  async backUp(): Promise<void> {
    const backup = this.#in('backup');
    const admin = postgres(this.url, { max: 1, onnotice: () => {} });
    await admin`select pg_backup_start('test', true)`;
    // A file that PostgreSQL removes meanwhile is no fault: the WAL makes up for it.
    await run('cp', ['-a', this.#in('data'), backup]).catch(() => {});
    const [end] = await admin`select labelfile from pg_backup_stop()`;
    await admin.end();
    await writeFile(path.join(backup, 'backup_label'), String(end?.['labelfile']));
    for (const name of ['pg_wal', 'postmaster.pid'])
      await rm(path.join(backup, name), { recursive: true, force: true });
    await mkdir(path.join(backup, 'pg_wal', 'archive_status'), { recursive: true });
    await this.#own(backup);
  }

  /**
   * Replaces the data by the backup with the archived WAL up to `time` (a PostgreSQL timestamp). Starts the server at an
   * address that no program knows, calls `prepare` with its URL, and then starts the server at its own address.
   */
  async restore(time: string, prepare: (url: string) => Promise<void>): Promise<void> {
    const data = this.#in('data');
    // SIGINT lets the server archive all of its WAL.
    await this.#stop('data');
    await rm(data, { recursive: true });
    await run('cp', ['-a', this.#in('backup'), data]);
    await writeFile(path.join(data, 'recovery.signal'), '');
    await this.#own(data);
    const hidden = await freePort(HOST);
    await this.#start('data', hidden, [
      this.#restoreCommand,
      `recovery_target_time=${time}`,
      'recovery_target_action=promote',
    ]);
    await untilOk(urlAt(hidden), 'select not pg_is_in_recovery() as ok');
    await prepare(urlAt(hidden));
    await this.#stop('data');
    await this.#start('data', this.#port);
  }

  /**
   * Starts a standby from the backup. It gets everything that was committed before this call, and then falls behind, because
   * it gets only whole files of WAL, and what a test writes fills none.
   */
  async startStandby(): Promise<void> {
    const standby = this.#in('standby');
    await run('cp', ['-a', this.#in('backup'), standby]);
    await writeFile(path.join(standby, 'standby.signal'), '');
    await this.#own(standby);
    this.#standbyPort = await freePort(HOST);
    const retry = 'wal_retrieve_retry_interval=50ms';
    await this.#start('standby', this.#standbyPort, [this.#restoreCommand, retry]);
    const [end] = await ask(this.url, 'select pg_current_wal_insert_lsn() as lsn, pg_switch_wal()');
    const hasAll = `select pg_last_wal_replay_lsn() >= '${end?.['lsn']}' as ok`;
    await untilOk(urlAt(this.#standbyPort), hasAll);
  }

  /**
   * Stops the server as a crash does, and promotes the standby at an address that no program knows. Calls `prepare` with its
   * URL, and then starts it at the address of the lost server.
   */
  async failOver(prepare: (url: string) => Promise<void>): Promise<void> {
    await this.#stop('data', 'SIGQUIT');
    const url = urlAt(this.#standbyPort);
    await untilOk(url, 'select pg_promote() as ok');
    await prepare(url);
    await this.#stop('standby');
    await rm(this.#in('data'), { recursive: true });
    await rename(this.#in('standby'), this.#in('data'));
    await this.#start('data', this.#port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#running.keys()) await this.#stop(name);
    await rm(this.#places.folder, { recursive: true, force: true });
  }

  get #options() {
    const { folder, user } = this.#places;
    return { cwd: folder, env: { LC_ALL: 'C', PATH: process.env['PATH'] }, ...user };
  }

  #in(name: string): string {
    return path.join(this.#places.folder, name);
  }

  async #own(folder: string): Promise<void> {
    const { user } = this.#places;
    if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
  }

  get #restoreCommand(): string {
    return `restore_command=cp ${this.#in('archive')}/%f %p`;
  }

  async #start(name: string, port: number, more: readonly string[] = []): Promise<void> {
    const archive = this.#in('archive');
    const settings = [
      `listen_addresses=${HOST}`,
      'unix_socket_directories=',
      'fsync=off',
      'archive_mode=on',
      `archive_command=test ! -f ${archive}/%f && cp %p ${archive}/%f`,
      ...more,
    ].flatMap((setting) => ['-c', setting]);
    const program = path.join(this.#places.bin, 'postgres');
    const args = ['-D', this.#in(name), '-p', String(port), ...settings];
    const server = spawn(program, args, { ...this.#options, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#running.set(name, server);
    let log = '';
    server.stderr.on('data', (text: Buffer) => {
      log = `${log}${text.toString()}`.slice(-2000);
    });
    const ended = once(server, 'exit').then(() => {
      throw new Error(`PostgreSQL ended before it answered: ${log}`);
    });
    await Promise.race([untilItAnswers(urlAt(port)), ended]);
  }

  #isRunning(name: string): boolean {
    return this.#running.get(name)?.exitCode === null;
  }

  async #stop(name: string, signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#running.get(name);
    if (!server || server.exitCode !== null) return;
    const exit = once(server, 'exit');
    server.kill(signal);
    await exit;
  }
}

function urlAt(port: number): string {
  return `postgres://postgres@${HOST}:${port}/postgres`;
}

async function ask(url: string, statement: string): Promise<postgres.RowList<postgres.Row[]>> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await admin.unsafe(statement);
  } finally {
    await admin.end();
  }
}

async function untilOk(url: string, statement: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; (await ask(url, statement))[0]?.['ok'] !== true; ) {
    if (Date.now() > deadline) throw new Error(`not true within a minute: ${statement}`);
    await sleep(50);
  }
}
