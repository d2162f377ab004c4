import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { appProgram, nodeFlags, nodeOptions } from './app-program.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');
const apps = ['api', 'recorder'] as const;

test.each(apps)('the %s has the same bounds of memory wherever it is started', async (app) => {
  const dockerfile = await read('infra/docker/Dockerfile');
  const image = new RegExp(String.raw`AS ${app}\n(?:.*\n)*?CMD (?<command>.*)`).exec(dockerfile);
  const command = ['--disable-sigusr1', '--env-file=node.env', 'dist/main.js'];
  expect(JSON.parse(image?.groups?.['command'] ?? '[]')).toEqual(command);
  const { scripts, files } = JSON.parse(await read(`apps/${app}/package.json`));
  expect(scripts.start).toBe(`node ${command.join(' ')}`);
  // The image contains only the files that the list names.
  expect(files).toContain('node.env');
  expect(nodeFlags(app)).toEqual([`--env-file=${path.join(root, 'apps', app, 'node.env')}`]);
});

test.each(apps)('Node takes the options that the file of the %s names', async (app) => {
  const script = 'console.log(process.env.NODE_OPTIONS)';
  const env = { ...process.env, NODE_OPTIONS: undefined };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...nodeFlags(app), '--eval', script],
    { env },
  );
  expect(stdout).toMatch(/^--max-semi-space-size=\d+/);
});

test('options of the caller stand behind those of the file, and replace none', () => {
  expect(nodeOptions('api', undefined)).toMatch(
    /^--max-semi-space-size=\d+ --max-old-space-size=\d+$/,
  );
  expect(nodeOptions('api', '')).toBe(nodeOptions('api', undefined));
  expect(nodeOptions('api', '--inspect')).toBe(`${nodeOptions('api', undefined)} --inspect`);
});

const loopback = '127.0.0.1,localhost,::1';
const behindProxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://proxy.example:3128' };

test.each([
  [behindProxy, loopback, loopback],
  [{ ...behindProxy, NO_PROXY: '.a' }, `.a,${loopback}`, `.a,${loopback}`],
  [{ ...behindProxy, NO_PROXY: '.a', no_proxy: '.b' }, `.a,${loopback}`, `.b,${loopback}`],
  [{ ...behindProxy, NODE_USE_ENV_PROXY: '0', NO_PROXY: '.a' }, '.a', undefined],
  [{ NODE_USE_ENV_PROXY: '1', no_proxy: '.b' }, undefined, '.b'],
])('with %j a program reaches this machine’s servers directly', (env, upper, lower) => {
  for (const app of ['api', 'console'] as const) {
    const { env: own } = appProgram(app, app, env).options;
    expect([own?.['NO_PROXY'], own?.['no_proxy']]).toEqual([upper, lower]);
  }
});

test('the API has sixteen threads for lookups, files and hashes, wherever it is started', async () => {
  expect(appProgram('api', 'api', {}).options.env).toMatchObject({ UV_THREADPOOL_SIZE: '16' });
  const script = `
    const { readdirSync, readFileSync } = require('node:fs');
    require('node:crypto').randomBytes(1, () => {
      const names = readdirSync('/proc/self/task').map((id) =>
        readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim());
      console.log(names.filter((name) => name === 'libuv-worker').length);
    });`;
  const env = { ...process.env, UV_THREADPOOL_SIZE: undefined };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...nodeFlags('api'), '--eval', script],
    { env },
  );
  expect(stdout).toBe('16\n');
});

test('the API has bounds of memory that fit into its pod', async () => {
  const pod = await read('infra/kubernetes/base/service/api.yaml');
  expect(pod).toContain('limits: { memory: 1Gi }');
  const script = 'console.log(v8.getHeapStatistics().heap_size_limit / 2 ** 20)';
  const env = { ...process.env, NODE_OPTIONS: undefined };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...nodeFlags('api'), '--eval', script],
    { env },
  );
  expect(Number(stdout)).toBeLessThan(1024);
});

test('no program opens a debugger when it gets SIGUSR1 while it starts, which a program of the same user could use', async () => {
  const dockerfile = await read('infra/docker/Dockerfile');
  const commands = dockerfile.match(/^CMD .*/gm) ?? [];
  expect(commands).toHaveLength(7);
  for (const command of commands) expect(command).toContain('"--disable-sigusr1"');
  for (const app of ['api', 'recorder', 'console'] as const) {
    const { scripts } = JSON.parse(await read(`apps/${app}/package.json`));
    expect(scripts.start).toContain('--disable-sigusr1');
    const { args } = appProgram(app, app, {});
    expect(await debuggerAfterSignal(args.slice(0, -1), 1000)).toBe('undefined\n');
  }
  // Without the flag the debugger opens, on a busy machine late.
  expect(await debuggerAfterSignal([], 60_000)).toMatch(/^ws:/);
});

/** Returns the address of the debugger that a program opens within `waitMs` when it gets SIGUSR1 as soon as it runs. */
async function debuggerAfterSignal(flags: readonly string[], waitMs: number): Promise<string> {
  const script = `
    process.kill(process.pid, 'SIGUSR1');
    const until = Date.now() + ${waitMs};
    const look = () => {
      const url = require('node:inspector').url();
      if (url === undefined && Date.now() < until) setTimeout(look, 10);
      else { console.log(String(url)); process.exit(); }
    };
    look();`;
  const args = [...flags, '--inspect-port=0', '--eval', script];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}
