import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { makeStackFolder } from '../../testing/stack.ts';
import { firstFreePort } from '../supervision/ports.ts';
import { providePostgresHome } from './home.ts';
import { type PostgresService, preparePostgres } from './server.ts';

const host = '127.0.0.1';

test('a lock file that a dead server left does not stop the server of another folder that has its pid now', async () => {
  const other = await prepare(await newFolder('other-server'), true);
  const { pid } = await start(other);
  const folder = await newFolder('stale-lock');
  const data = path.join((await providePostgresHome(folder)).folder, 'data');
  await mkdir(data);
  await copyFile(path.join(dataOf(other), 'PG_VERSION'), path.join(data, 'PG_VERSION'));
  await writeFile(path.join(data, 'postmaster.pid'), `${pid}\n`);
  await prepare(folder);
  expect(await ask(other)).toEqual([{ answer: 1 }]);
  expect(existsSync(path.join(data, 'postmaster.pid'))).toBe(false);
});

test('a server of the folder that is missing in the process table is stopped before the next start', async () => {
  const folder = await newFolder('unknown-server');
  const server = await prepare(folder, true);
  const child = await start(server);
  const exit = once(child, 'exit');
  await prepare(folder);
  expect(await exit).toEqual([0, null]);
  expect(existsSync(path.join(dataOf(server), 'postmaster.pid'))).toBe(false);
});

async function newFolder(name: string): Promise<string> {
  return path.join(await makeStackFolder(name), 'postgres');
}

async function prepare(folder: string, isDisposable = false): Promise<PostgresService> {
  const port = await firstFreePort([], host);
  return await preparePostgres({ folder, host, port, password: 'test', isDisposable });
}

/** Returns the server's process when it answers. */
async function start({ spec }: PostgresService): Promise<ChildProcess> {
  const child = spawn(spec.command, spec.args, { ...spec.options, stdio: 'ignore' });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    await exit;
  });
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  await spec.ready(child, ended.signal);
  return child;
}

async function ask({ url }: PostgresService): Promise<readonly object[]> {
  const client = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    return await client`select 1 as answer`;
  } finally {
    await client.end({ timeout: 1 });
  }
}

function dataOf({ spec }: PostgresService): string {
  return spec.args[1] ?? '';
}
