import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { identify } from '@session/kit';
import { expect, onTestFinished, test } from 'vitest';
import { CONTRACT_PROGRAMS, LAUNCHER_PROMISES } from '../testing/launcher-contract.ts';
import { findAgentRole } from './catalogue.ts';
import { LaunchRefused } from './launcher.ts';
import { ProcessLauncher } from './process-launcher.ts';
import { findProgram } from './programs.ts';

const owner = fileURLToPath(new URL('../testing/owner-process.ts', import.meta.url));
const IDS = { sessionId: 's1', projectId: 'p1' };
const frozen =
  'process.on("SIGTERM", () => {}); console.log(process.pid); setInterval(() => {}, 1000);';
/** Prints the pid of a process that it starts, and that keeps running. */
const parent = `
  const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(frozen)}]);
  child.stdout.pipe(process.stdout);
  setInterval(() => {}, 1000);`;
const printPid =
  'process.once("disconnect", () => process.exit()); console.log(process.pid); setInterval(() => {}, 1000);';

/** The API's variables that no agent may get. */
const SECRETS = [
  'DATABASE_DIRECT_URL',
  'DATABASE_URL',
  'ENCRYPTION_KEY',
  'JWT_SECRET',
  'MEDIA_API_SECRET',
];

/** Memory is limited only on Linux. */
const promises = [...LAUNCHER_PROMISES].filter(
  ([name]) => process.platform === 'linux' || !name.includes('memory'),
);

test.each(promises)('%s', async (_, isKept) => {
  await using launcher = await open(await makeFolder(), { scripts: CONTRACT_PROGRAMS });
  await expect(isKept(launcher)).resolves.toBeUndefined();
});

test('an agent gets the service’s variables, of its template those of its role, what Node needs of the machine, and nothing else', async () => {
  const program = 'console.log(JSON.stringify(process.env))';
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, 'hunter2']));
  const needed = { PATH: '/usr/bin:/bin', TZ: 'UTC', HTTPS_PROXY: 'http://other:1' };
  const machineEnv = { ...needed, ...secrets, NODE_OPTIONS: '--no-warnings' };
  await using launcher = await open(await makeFolder(), { scripts: { program }, machineEnv });
  const given = { MEDIA_TOKEN: 't', HTTPS_PROXY: 'http://proxy:3128' };
  const templateVariables = {
    ECHO_MODE: 'both',
    MEDIA_TOKEN: 'other',
    // The role does not read the first two. Libraries or the runtime may read the others.
    LLM_API_KEY: 'hunter2',
    TTS_API_KEY: 'hunter2',
    TZ: 'Asia/Tokyo',
    PATH: '/nowhere',
    NODE_EXTRA_CA_CERTS: '/tmp/ca.pem',
    LIVEKIT_URL: 'wss://elsewhere.example',
    GIT_SSH_COMMAND: 'sh',
  };
  await start(launcher, 'program', { ...given, PATH: '/nowhere' }, templateVariables);
  const [line = '{}'] = await linesOf(launcher, 'program');
  const all = Object.entries(JSON.parse(line));
  // Node sets the first for the channel to the launcher, macOS the second.
  const others = all.filter(([name]) => !/^(NODE_CHANNEL_|__CF_)/.test(name));
  expect(Object.fromEntries(others)).toEqual({
    PATH: needed.PATH,
    TZ: 'UTC',
    ECHO_MODE: 'both',
    ...given,
  });
});

test('a message of an agent over its IPC channel is reported as a change', async () => {
  const program = `process.send("ready"); ${printPid}`;
  await using launcher = await open(await makeFolder(), { scripts: { program } });
  const observations = launcher.observe(AbortSignal.timeout(30_000));
  await start(launcher, 'program');
  const phases: string[] = [];
  for await (const observation of observations) {
    phases.push(observation.type === 'workload' ? observation.workload.phase : observation.type);
    if (phases.length === 3) break;
  }
  expect(phases).toEqual(['running', 'synced', 'running']);
});

test('the processes that an agent started end with it', async () => {
  const child = JSON.stringify(printPid);
  const program = `require('child_process').spawn(process.execPath, ['-e', ${child}], { stdio: 'inherit' });`;
  await using launcher = await open(await makeFolder(), { scripts: { program } });
  await start(launcher, 'program');
  let pid = 0;
  for await (const { line } of launcher.logs('program', { follow: true })) {
    pid = Number(line);
    break;
  }
  expect(await identify(pid)).toBeDefined();
  await launcher.stop('program', 0.05);
  await linesOf(launcher, 'program');
  await untilGone(pid);
});

test('the log of a stopped program is kept until the program is removed', async () => {
  await using launcher = await open(await makeFolder(), { scripts: { program: printPid } });
  await start(launcher, 'program');
  const pid = await firstNumber(launcher, 'program');
  await launcher.stop('program', 10);
  expect(await linesOf(launcher, 'program')).toEqual([String(pid)]);
  expect(await linesOf(launcher, 'program')).toEqual([String(pid)]);
});

test('when the launcher is disposed of, its agents are evicted, and nothing of them is left', async () => {
  const folder = await makeFolder();
  const launcher = await open(folder, { scripts: { frozen }, shutdownGraceMs: 50 });
  await start(launcher, 'frozen');
  const pid = await firstNumber(launcher, 'frozen');
  const observations = launcher.observe(AbortSignal.timeout(30_000));
  await launcher[Symbol.asyncDispose]();
  for await (const observation of observations) {
    expect(observation).toMatchObject({ workload: { phase: 'ended', cause: 'evicted' } });
    break;
  }
  expect(await identify(pid)).toBeUndefined();
  expect(await recordsIn(folder)).toEqual([]);
});

test('after kill -9 of the owner its agents end by themselves; the next launcher ends the rest, with their children', async () => {
  const folder = await makeFolder();
  const programs = JSON.stringify({ obedient: printPid, frozen, parent });
  const killed = fork(owner, [folder, 'owner-1', programs], {
    execArgv: ['--conditions=@source'],
  });
  const [pids] = await once(killed, 'message');
  const [obedientPid, frozenPid, childPid] = pids;

  await using other = await open(folder, { processId: 'owner-2', shutdownGraceMs: 50 });
  expect(other.deadProcessIds).toEqual([]);
  expect(await identify(frozenPid)).toBeDefined();

  const exit = once(killed, 'exit');
  killed.kill('SIGKILL');
  await exit;
  await untilGone(obedientPid);
  expect(await identify(frozenPid)).toBeDefined();

  await using next = await open(folder, { processId: 'owner-3', shutdownGraceMs: 50 });
  expect(next.deadProcessIds).toEqual(['owner-1']);
  expect(await identify(frozenPid)).toBeUndefined();
  await untilGone(childPid);
  expect(await recordsIn(folder)).toEqual(['owner-2.json', 'owner-3.json']);
});

test('a role whose program is not installed is refused, with its name', async () => {
  const folder = await makeFolder();
  const programs = (program: string) => findProgram(folder, program);
  await using launcher = await open(folder, { findProgram: programs });
  const role = findAgentRole('light-agent');
  if (!role) throw new Error('the catalogue has this role');
  const refused = await launcher
    .start({ workloadId: 'a1', agentId: 'a1', ...IDS, role, templateVariables: {}, env: {} })
    .catch((error) => error);
  expect(refused).toBeInstanceOf(LaunchRefused);
  expect(refused).toMatchObject({
    reason: 'bad_configuration',
    detail:
      'The role light-agent needs the program light-agent, which is not installed. The operator must install it.',
  });
});

test('a folder that was deleted is created again', async () => {
  const folder = await makeFolder();
  await using launcher = await open(folder, { scripts: { program: printPid } });
  await rm(folder, { recursive: true });
  await start(launcher, 'program');
  expect(await recordsIn(folder)).toEqual(['owner.json']);
});

test('a failure to create the process is thrown, and the next attempt may succeed', async () => {
  let file = '/nowhere';
  const programs = () => ({ file, args: ['-e', printPid] });
  await using launcher = await open(await makeFolder(), { findProgram: programs });
  await expect(start(launcher, 'program')).rejects.toMatchObject({ code: 'ENOENT' });
  file = process.execPath;
  await start(launcher, 'program');
  expect(await firstNumber(launcher, 'program')).toBeGreaterThan(0);
});

test('an environment too large for a process is refused, with a sentence for its user', async () => {
  await using launcher = await open(await makeFolder(), { scripts: { program: printPid } });
  const started = start(launcher, 'program', { PLAN: 'x'.repeat(8_000_000) });
  await expect(started).rejects.toMatchObject({
    name: 'LaunchRefused',
    reason: 'bad_configuration',
    detail: expect.stringContaining('too large'),
  });
});

type Overrides = Partial<Parameters<typeof ProcessLauncher.open>[0]> & {
  scripts?: Readonly<Record<string, string>>;
};

async function open(folder: string, { scripts = {}, ...overrides }: Overrides = {}) {
  return await ProcessLauncher.open({
    folder,
    processId: 'owner',
    findProgram: (name) => ({ file: process.execPath, args: ['-e', scripts[name] ?? ''] }),
    machineEnv: process.env,
    shutdownGraceMs: 10_000,
    onWarning: (message) => expect(message).toBeUndefined(),
    ...overrides,
  });
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agents-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function recordsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
}

async function start(
  launcher: ProcessLauncher,
  program: string,
  env: Record<string, string> = {},
  templateVariables: Record<string, string> = {},
) {
  const echo = findAgentRole('echo-agent');
  if (!echo) throw new Error('the catalogue has this role');
  await launcher.start({
    workloadId: program,
    agentId: program,
    ...IDS,
    role: { ...echo, program },
    templateVariables,
    env,
  });
}

async function linesOf(launcher: ProcessLauncher, agentId: string): Promise<string[]> {
  const lines = await Array.fromAsync(launcher.logs(agentId, { follow: true }));
  return lines.map(({ line }) => line);
}

async function firstNumber(launcher: ProcessLauncher, agentId: string): Promise<number> {
  for await (const { line } of launcher.logs(agentId, { follow: true })) return Number(line);
  throw new Error('the agent printed nothing');
}

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => identify(pid)).toBeUndefined();
}
