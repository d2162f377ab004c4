import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startProgram } from '../testing/program.ts';
import {
  identify,
  isRunning,
  killGroup,
  ProcessIdentity,
  programName,
  StopSignal,
  stopProcess,
} from './processes.ts';

const WAIT = "console.log('ready'); setInterval(() => {}, 1000);";
const IGNORE_SIGNALS = `
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => console.log(signal));
  ${WAIT}`;
/** No process has a pid this high: Linux allows at most 2 ** 22. */
const NO_PID = 2 ** 30;

async function identityOf(pid: number): Promise<ProcessIdentity> {
  const identity = await identify(pid);
  if (!identity) throw new Error(`there is no process ${pid}`);
  return identity;
}

/**
 * Makes this process seem to run on macOS until the test ends, with a `ps` that only prints its time zone and language.
 */
async function fakePs(zone: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ps-'));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    await rm(folder, { recursive: true });
  });
  const ps = '#!/bin/sh\necho "$TZ $LC_ALL"\n';
  await writeFile(path.join(folder, 'ps'), ps, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  vi.stubEnv('TZ', zone);
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'darwin' } }));
}

test('one process has one identity, as long as it runs', async () => {
  const own = await identityOf(process.pid);
  expect(own).toEqual(await identify(process.pid));
  expect(own.pid).toBe(process.pid);
  expect(await isRunning(own)).toBe(true);
});

test('two processes of one program have two identities, apart from their pids too', async () => {
  await using first = startProgram(WAIT);
  await first.ready;
  await using second = startProgram(WAIT);
  await second.ready;
  const [one, other] = [await identityOf(first.pid), await identityOf(second.pid)];
  expect(one.started).not.toBe(other.started);
});

test('off Linux, an identity is the same in each time zone and language', async () => {
  await fakePs('Asia/Tokyo');
  expect(await identify(1)).toEqual({ pid: 1, started: 'UTC C' });
});

test('off Linux, a process that the former release noted in its own time zone is running', async () => {
  await fakePs('Asia/Tokyo');
  vi.stubEnv('LC_ALL', 'ja_JP');
  expect(await isRunning({ pid: 1, started: 'Asia/Tokyo ja_JP' })).toBe(true);
  expect(await isRunning({ pid: 1, started: 'UTC C' })).toBe(true);
  expect(await isRunning({ pid: 1, started: 'Europe/Paris ja_JP' })).toBe(false);
});

test('a process that has ended is no longer running, and has no identity', async () => {
  await using program = startProgram(WAIT);
  await program.ready;
  const identity = await identityOf(program.pid);
  program.child.kill('SIGKILL');
  await program.ended;
  expect(await isRunning(identity)).toBe(false);
  expect(await identify(program.pid)).toBeUndefined();
  expect(await programName(program.pid)).toBeUndefined();
});

test('a process whose pid another process has now is not running', async () => {
  const own = await identityOf(process.pid);
  expect(await isRunning({ ...own, started: `${own.started}0` })).toBe(false);
  expect(await isRunning({ ...own, started: '' })).toBe(false);
});

test.each([0, -1, NO_PID, 1.5])('there is no process %d', async (pid) => {
  expect(await identify(pid)).toBeUndefined();
  expect(await isRunning({ pid, started: '' })).toBe(false);
});

test('an identity survives being written to a file and read again', async () => {
  const own = await identityOf(process.pid);
  const read = ProcessIdentity.parse(JSON.parse(JSON.stringify(own)));
  expect(await isRunning(read)).toBe(true);
  for (const broken of [{}, { pid: '1', started: 'x' }, { pid: 1 }, null]) {
    expect(ProcessIdentity.safeParse(broken).success).toBe(false);
  }
});

test('a process is stopped by SIGTERM or SIGINT only, never by another signal of a file', () => {
  expect(StopSignal.parse('SIGINT')).toBe('SIGINT');
  for (const signal of ['SIGKILL', 'SIGHUP', 'sigterm', '', 15]) {
    expect(StopSignal.safeParse(signal).success).toBe(false);
  }
});

test('a program is named without its path and arguments', async () => {
  const sleeper = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
  await once(sleeper, 'spawn');
  await expect.poll(() => programName(sleeper.pid ?? 0)).toBe('sleep');
  sleeper.kill('SIGKILL');
  await once(sleeper, 'exit');
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a process that heeds %s is not killed',
  async (signal) => {
    await using program = startProgram(`
    process.on(${JSON.stringify(signal)}, () => { console.log('stopping'); process.exitCode = 7;
      clearInterval(timer); });
    const timer = setInterval(() => {}, 1000);
    console.log('ready');`);
    await program.ready;
    await stopProcess(await identityOf(program.pid), signal, 60_000);
    expect(await program.ended).toMatchObject({ end: 7, stdout: 'ready\nstopping\n' });
  },
);

test('a process that ignores the signal is killed after its time', async () => {
  await using program = startProgram(IGNORE_SIGNALS);
  await program.ready;
  const identity = await identityOf(program.pid);
  await stopProcess(identity, 'SIGTERM', 50);
  expect(await isRunning(identity)).toBe(false);
  expect((await program.ended).end).toBe('SIGKILL');
});

test('a process that has ended is stopped already, and its successor gets no signal', async () => {
  await using program = startProgram(`
    process.on('SIGTERM', () => console.log('SIGTERM'));
    process.on('SIGINT', () => setImmediate(() => clearInterval(timer)));
    const timer = setInterval(() => {}, 1000);
    console.log('ready');`);
  await program.ready;
  const identity = await identityOf(program.pid);
  await stopProcess({ ...identity, started: 'of a process before' }, 'SIGTERM', 0);
  await stopProcess(identity, 'SIGINT', 60_000);
  expect(await program.ended).toMatchObject({ end: 0, stdout: 'ready\n' });
  await stopProcess(identity, 'SIGTERM', 60_000);
});

test('two callers can stop one process at once', async () => {
  await using program = startProgram(WAIT);
  await program.ready;
  const identity = await identityOf(program.pid);
  await Promise.all([
    stopProcess(identity, 'SIGTERM', 60_000),
    stopProcess(identity, 'SIGINT', 60_000),
  ]);
  expect(await isRunning(identity)).toBe(false);
});

test('killing a group ends its leader and every process that it started', async () => {
  await using leader = startProgram(
    `
    import { spawn } from 'node:child_process';
    const child = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
    child.once('spawn', () => console.log('ready', child.pid));
    setInterval(() => {}, 1000);`,
    { detached: true },
  );
  let output = '';
  leader.child.stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  await expect.poll(() => output).toMatch(/ready \d+\n/);
  const child = await identityOf(Number(output.match(/\d+/)?.[0]));
  expect(await isRunning(child)).toBe(true);
  killGroup(leader.pid);
  expect((await leader.ended).end).toBe('SIGKILL');
  await expect.poll(() => isRunning(child)).toBe(false);
});

test('killing a group of which no process is left is no failure', async () => {
  await using leader = startProgram(WAIT, { detached: true });
  await leader.ready;
  killGroup(leader.pid);
  await leader.ended;
  expect(() => killGroup(leader.pid)).not.toThrow();
  expect(() => killGroup(NO_PID)).not.toThrow();
});
