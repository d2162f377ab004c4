import { identify } from '@session/kit';
import { expect, onTestFinished, test } from 'vitest';
import { AgentProcess } from './agent-process.ts';

const MEMORY_BYTES = 2 ** 30;
/** Ends when the IPC channel closes, so that a test run that is killed leaves no program behind. */
const forever = 'process.once("disconnect", () => process.exit()); setInterval(() => {}, 1000);';
const ignoresSigterm = `process.on("SIGTERM", () => {}); console.log("up"); ${forever}`;
const obeysSigterm = `process.once("SIGTERM", () => process.exit(0)); console.log("up"); ${forever}`;

test.each([
  ['an exit code', 'process.exitCode = 3;', { exitCode: 3 }],
  ['an exit without a code', '', { exitCode: 0 }],
  ['an exception', 'throw new Error("x");', { exitCode: 1 }],
  [
    'a signal',
    'process.kill(process.pid, "SIGKILL");',
    { exitCode: 137, detail: 'The agent’s program was ended by SIGKILL.' },
  ],
  [
    'another signal',
    'process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000);',
    { exitCode: 143, detail: 'The agent’s program was ended by SIGTERM.' },
  ],
])('the end by %s has the code that a shell would report', async (_, script, end) => {
  const agent = await start(script);
  expect(await agent.ended).toEqual({ phase: 'ended', ...end });
});

test('a program that does not exist is an error, and no process', async () => {
  const command = { file: '/no/such/program', args: [] };
  await expect(
    AgentProcess.start(command, {}, { memoryBytes: MEMORY_BYTES }),
  ).rejects.toMatchObject({
    code: 'ENOENT',
  });
});

test('only the first stop counts: a later one neither shortens nor lengthens its grace', async () => {
  const agent = await start(ignoresSigterm);
  await untilUp(agent);
  agent.stop(300);
  agent.stop(0);
  const stoppedAt = performance.now();
  agent.evict(600_000);
  expect(await agent.ended).toEqual({
    phase: 'ended',
    exitCode: 137,
    detail: 'The agent’s program was ended by SIGKILL.',
  });
  // A timer may fire a millisecond early.
  expect(performance.now() - stoppedAt).toBeGreaterThan(290);
});

test('an evicted program is `evicted`, whatever its exit code is', async () => {
  const agent = await start(obeysSigterm);
  await untilUp(agent);
  agent.evict(60_000);
  expect(await agent.ended).toEqual({ phase: 'ended', exitCode: 0, cause: 'evicted' });
});

test('a program that was stopped before the eviction is not `evicted`', async () => {
  const agent = await start(obeysSigterm);
  await untilUp(agent);
  agent.stop(60_000);
  agent.evict(60_000);
  expect(await agent.ended).toEqual({ phase: 'ended', exitCode: 0 });
});

test('stop and evict do nothing after the end', async () => {
  const agent = await start('process.exitCode = 7;');
  const end = await agent.ended;
  agent.evict(0);
  agent.stop(0);
  expect(await agent.ended).toBe(end);
  expect(end).toEqual({ phase: 'ended', exitCode: 7 });
});

test('a child that keeps the output open does not delay the end for long, and is killed', async () => {
  const child = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
  const agent = await start(`
    const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: ["ignore", "inherit", "inherit"] });
    console.log(child.pid);
    setTimeout(() => process.exit(0), 100);`);
  expect(await agent.ended).toEqual({ phase: 'ended', exitCode: 0 });
  const [line = ''] = await linesOf(agent);
  expect(Number(line)).toBeGreaterThan(0);
  await expect.poll(() => identify(Number(line))).toBeUndefined();
});

test('a child that left the process group and keeps the output open does not delay the end for long', async () => {
  const child = 'setTimeout(() => {}, 60_000);';
  const agent = await start(`
    const child = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { detached: true, stdio: ["ignore", "inherit", "inherit"] });
    console.log(child.pid);
    setTimeout(() => process.exit(0), 100);`);
  onTestFinished(async () => {
    const [line = ''] = await linesOf(agent);
    process.kill(Number(line), 'SIGKILL');
  });
  expect(await agent.ended).toEqual({ phase: 'ended', exitCode: 0 });
  const [line = ''] = await linesOf(agent);
  expect(await identify(Number(line))).toBeDefined();
});

test('the last line is in the log although it has no line end', async () => {
  const agent = await start(
    'process.stdout.write("first\\nlast"); process.stderr.write("failure");',
  );
  await agent.ended;
  expect((await linesOf(agent)).toSorted()).toEqual(['failure', 'first', 'last']);
});

test('the environment is exactly the given one, beside the IPC channel', async () => {
  const agent = await start('console.log(JSON.stringify(process.env));', {
    GREETING: 'grüß\ngott',
  });
  await agent.ended;
  const [line = ''] = await linesOf(agent);
  const { GREETING, ...others } = JSON.parse(line);
  expect(GREETING).toBe('grüß\ngott');
  expect(Object.keys(others).filter((name) => !name.startsWith('NODE_CHANNEL_'))).toEqual([]);
});

test('each message over the IPC channel calls the listener', async () => {
  const agent = await start('process.send("ready"); process.send({ any: "thing" });');
  let count = 0;
  agent.onMessage(() => {
    count += 1;
  });
  await expect.poll(() => count).toBe(2);
  await agent.ended;
});

// Only root can start a process as another user.
test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
  'a program of another user has no group of ours, and cannot read the environment of this process',
  async () => {
    const script = `
      const { getuid, getgid, getgroups, ppid } = process;
      console.log(JSON.stringify([getuid(), getgid(), getgroups()]));
      try {
        require('node:fs').readFileSync('/proc/' + ppid + '/environ');
      } catch ({ code }) {
        console.log(code);
      }`;
    const command = { file: process.execPath, args: ['-e', script] };
    const user = { uid: 12_345, gid: 12_346 };
    const agent = await AgentProcess.start(command, {}, { memoryBytes: MEMORY_BYTES, user });
    expect(await agent.ended).toEqual({ phase: 'ended', exitCode: 0 });
    const lines = await Array.fromAsync(agent.logs.read({}));
    expect(lines.map(({ line }) => line)).toEqual(['[12345,12346,[12346]]', 'EACCES']);
  },
);

async function start(script: string, env: Record<string, string> = {}): Promise<AgentProcess> {
  const command = { file: process.execPath, args: ['-e', script] };
  const agent = await AgentProcess.start(command, env, { memoryBytes: MEMORY_BYTES });
  onTestFinished(async () => {
    agent.stop(0);
    await agent.ended;
  });
  return agent;
}

async function untilUp({ logs }: AgentProcess): Promise<void> {
  for await (const { line } of logs.read({ follow: true })) if (line === 'up') return;
}

async function linesOf({ logs }: AgentProcess): Promise<string[]> {
  const lines: string[] = [];
  for await (const { line } of logs.read({})) lines.push(line);
  return lines;
}
