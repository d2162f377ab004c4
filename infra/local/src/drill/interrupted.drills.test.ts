import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'vitest';
import { makeDrillFolder } from '../../testing/drill-folder.ts';
import { isPrometheusInstalled } from '../monitoring/prometheus.ts';
import { readStackFile } from '../stack/stack-file.ts';
import { run } from '../supervision/tool.ts';

const main = path.join(import.meta.dirname, 'main.ts');
const LIMIT_MS = 300_000;
const why = (await isPrometheusInstalled(process.env))
  ? ''
  : ' (skipped: Prometheus is not installed)';

describe.skipIf(why !== '').concurrent(`a drill that freezes the database${why}`, () => {
  test.for(['SIGINT', 'SIGKILL'] as const)(
    '%s leaves no process, neither frozen nor running',
    { timeout: LIMIT_MS },
    async (signal, { expect, onTestFinished }) => {
      const { folder, ...made } = await makeDrillFolder(`interrupted-${signal}`);
      onTestFinished(() => made[Symbol.asyncDispose]());
      await mkdir(folder, { recursive: true });
      const child = spawn(process.execPath, ['--conditions=@source', main, 'database-away'], {
        env: { ...process.env, STACK_DIR: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = once(child, 'close');
      onTestFinished(async () => {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
        await ended;
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await expect
        .poll(() => output, { timeout: LIMIT_MS })
        .toContain('Waiting for the alert DatabaseAway');
      const pids = Object.values((await readStackFile(path.join(folder, 'drill')))?.pids ?? {});
      expect(pids.length).toBeGreaterThan(4);
      const family = await withDescendants(pids);
      child.kill(signal);
      await expect.poll(() => existing(family), { timeout: LIMIT_MS }).toEqual([]);
      // A stack that stopped as it should has removed the list of its processes.
      await expect.poll(() => existsSync(path.join(folder, 'drill/processes.json'))).toBe(false);
      expect(await ended).toEqual(signal === 'SIGKILL' ? [null, signal] : [1, null]);
      if (signal !== 'SIGKILL') expect(output).toMatch(/Stopping the stack …\nStopped\.\n$/);
    },
  );
});

async function withDescendants(pids: readonly number[]): Promise<Set<number>> {
  const family = new Set(pids);
  const all = await listProcesses();
  // A set also visits what is added meanwhile.
  for (const member of family)
    for (const { pid, parent } of all) if (parent === member) family.add(pid);
  return family;
}

/** Returns those of the processes that still exist. ps may list an ended one (Z) until its parent notices. */
async function existing(pids: ReadonlySet<number>): Promise<unknown[]> {
  const all = await listProcesses();
  return all.filter(({ pid, state }) => pids.has(pid) && !state.startsWith('Z'));
}

async function listProcesses() {
  let list = '';
  const onOutput = (text: string) => {
    list += text;
  };
  await run('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm='], { onOutput });
  return list.split('\n').map((line) => {
    const [pid, parent, state = '', name] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), state, name };
  });
}
