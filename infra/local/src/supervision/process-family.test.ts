import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { childrenOf, freezeFamilies, killFamily } from './process-family.ts';
import { run } from './tool.ts';

const module = path.join(import.meta.dirname, 'process-family.ts');

/** Starts a program in a process group of its own, which is killed at the end of the test. */
function start(command: string, ...args: string[]): { child: ChildProcess; pid: number } {
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const { pid = 0 } = child;
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
    await ended;
  });
  return { child, pid };
}

async function saysReady({ stdout }: ChildProcess): Promise<void> {
  if (stdout) await once(stdout, 'data');
}

async function stateOf(pid: number): Promise<string> {
  return (await run('ps', ['-o', 'stat=', '-p', String(pid)])).trim().charAt(0);
}

async function statesOfGroup(leader: number): Promise<string[]> {
  let list = '';
  const onOutput = (text: string) => {
    list += text;
  };
  await run('ps', ['-A', '-o', 'pgid=,stat='], { onOutput });
  const lines = list.split('\n').map((line) => line.trim().split(/\s+/));
  return lines.flatMap(([group, state = '']) =>
    group === String(leader) ? [state.charAt(0)] : [],
  );
}

test('a frozen process that was starting children has no running descendant, and goes on at disposal', async () => {
  const twins = 'sh -c "sleep 600 & sleep 600" &';
  const loop = `i=0; echo ready; while [ $i -lt 20 ]; do ${twins} i=$((i+1)); done; wait`;
  const { child, pid } = start('sh', '-c', loop);
  await saysReady(child);
  {
    await using frozen = new AsyncDisposableStack();
    frozen.use(await freezeFamilies([pid]));
    const states = await statesOfGroup(pid);
    expect(new Set(states)).toEqual(new Set(['T']));
    expect(await statesOfGroup(pid)).toEqual(states);
  }
  await expect.poll(() => childrenOf(pid)).toHaveLength(20);
});

test('processes that were frozen go on when the process that froze them is killed', async () => {
  const { pid } = start('sleep', '600');
  const script = `
    const { freezeFamilies } = await import(${JSON.stringify(module)});
    await freezeFamilies([${pid}]);
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const freezer = start(
    process.execPath,
    '--conditions=@source',
    '--input-type=module',
    '--eval',
    script,
  );
  await saysReady(freezer.child);
  expect(await stateOf(pid)).toBe('T');
  freezer.child.kill('SIGKILL');
  await expect.poll(() => stateOf(pid)).toBe('S');
});

test('a process that has ended is neither frozen nor killed, and its neighbours are', async () => {
  const gone = start('true');
  await once(gone.child, 'exit');
  const { child, pid } = start('sleep', '600');
  {
    await using frozen = new AsyncDisposableStack();
    frozen.use(await freezeFamilies([gone.pid, pid]));
    expect(await stateOf(pid)).toBe('T');
  }
  await expect.poll(() => stateOf(pid)).toBe('S');
  await killFamily(gone.pid);
  const ended = once(child, 'exit');
  await killFamily(pid);
  expect(await ended).toEqual([null, 'SIGKILL']);
});
