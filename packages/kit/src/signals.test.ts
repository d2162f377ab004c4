import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { importKit, runProgram, startProgram } from '../testing/program.ts';

const signals = fileURLToPath(new URL('./signals.ts', import.meta.url));

test('stopped by a parent that disconnects, before the process listens or after', async () => {
  const early = 'while (process.connected) await new Promise((resolve) => setTimeout(resolve, 5));';
  expect(await stopReason(early)).toBe('disconnect');
  expect(await stopReason('')).toBe('disconnect');
});

test('the first signal is the reason to stop, and further signals change nothing', async () => {
  await using program = startProgram(`
    const { stopSignal } = await import(${JSON.stringify(signals)});
    const stop = stopSignal();
    process.on('SIGINT', () => { console.log(stop.reason); clearInterval(timer); });
    const timer = setInterval(() => {}, 1000);
    process.on('SIGTERM', () => console.log('ready again'));
    console.log('ready');`);
  await program.ready;
  program.child.kill('SIGTERM');
  const stdout = program.child.stdout ?? process.stdin;
  while (!String(await once(stdout, 'data')).includes('again'));
  program.child.kill('SIGINT');
  expect(await program.ended).toMatchObject({
    end: 0,
    stdout: expect.stringMatching(/SIGTERM\n$/),
  });
});

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGINT'],
  ['SIGHUP', 'SIGTERM'],
] as const)('%s and then %s: the second signal cuts a stop short', async (first, second) => {
  await using program = startProgram(`${importKit}
    const forceStop = kit.secondStopSignal();
    process.on(${JSON.stringify(first)}, () => console.log('first', forceStop.aborted));
    console.log('ready');
    const timer = setInterval(() => {}, 1000);
    await kit.aborted(forceStop);
    clearInterval(timer);
    console.log('forceStop', forceStop.reason);`);
  await program.ready;
  const stdout = program.child.stdout ?? process.stdin;
  program.child.kill(first);
  while (!String(await once(stdout, 'data')).includes('first'));
  program.child.kill(second);
  const { end, stdout: written } = await program.ended;
  expect(end).toBe(0);
  expect(written).toContain('first false\n');
  expect(written).toMatch(new RegExp(`forceStop ${second}\n$`));
});

test('listening for signals keeps no program alive, with a parent that waits or without', async () => {
  const { end } = await runProgram(`
    const { secondStopSignal, stopSignal } = await import(${JSON.stringify(signals)});
    stopSignal();
    secondStopSignal();`);
  expect(end).toBe(0);
  const script = `(await import(${JSON.stringify(signals)})).stopSignal();`;
  const args = ['--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  expect(await once(child, 'exit')).toEqual([0, null]);
});

/** Returns why a process stops. It does `work` before it listens, and its parent disconnects at once. */
async function stopReason(work: string): Promise<string> {
  const program = `${work}
    const { stopSignal } = await import(${JSON.stringify(signals)});
    const stop = stopSignal();
    const keepAlive = setTimeout(() => {}, 10_000);
    if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
    clearTimeout(keepAlive);
    console.log(stop.reason);`;
  const args = ['--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  child.disconnect();
  return child.stdout ? (await text(child.stdout)).trim() : '';
}
