import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');

export type Sample = 'fastify' | 'fastapi';

/** Starts the sample's backend beside the SDK that is installed in `folder`. Returns undefined if Python is needed and missing. */
export async function startSample(
  sample: Sample,
  folder: string,
  variables: Readonly<Record<string, string>>,
) {
  await cp(path.join(root, 'examples'), folder, { recursive: true });
  await linked(path.join(folder, 'node_modules'), path.join(folder, 'page/node_modules'));
  const cwd = path.join(folder, sample);
  const command = sample === 'fastify' ? await nodeCommand(cwd) : await pythonCommand();
  if (!command) return undefined;
  const [program, file] = command;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { PATH: process.env['PATH'], PORT: String(port), ...variables };
  const backend = spawn(program, [file], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(backend, 'exit');
  await expect
    .poll(() => fetch(url).then(({ status }) => status, String), { timeout: 30_000 })
    .toBe(200);
  return {
    url,
    async [Symbol.asyncDispose]() {
      backend.kill();
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null)
    throw new Error('the server listens on a port');
  return address.port;
}

/** The other packages are those of this repository. */
async function nodeCommand(folder: string) {
  for (const [app, name] of [
    ['console', '@fastify/static'],
    ['api', 'fastify'],
  ] as const) {
    const target = path.join(root, 'apps', app, 'node_modules', name);
    await linked(target, path.join(folder, 'node_modules', name));
  }
  return [process.execPath, 'server.js'] as const;
}

/** Installs what the sample lists, once for each list, or returns undefined if this machine cannot. */
async function pythonCommand() {
  const list = path.join(root, 'examples/fastapi/requirements.txt');
  const hash = createHash('sha256')
    .update(await readFile(list))
    .digest('hex')
    .slice(0, 16);
  const folder = path.join(root, '.cache/sample-python', hash);
  const python = path.join(folder, 'bin/python');
  const marker = path.join(folder, 'installed');
  if (existsSync(marker)) return [python, 'server.py'] as const;
  try {
    await run('python3', ['-m', 'venv', '--clear', folder]);
    const options = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
    await run(python, ['-m', 'pip', 'install', ...options, '--requirement', list]);
    await writeFile(marker, '');
    return [python, 'server.py'] as const;
  } catch (error) {
    process.stderr.write(`The packages of ${list} cannot be installed: ${String(error)}\n`);
    return undefined;
  }
}

async function linked(target: string, link: string): Promise<void> {
  await rm(link, { recursive: true, force: true });
  await mkdir(path.dirname(link), { recursive: true });
  await symlink(target, link);
}
