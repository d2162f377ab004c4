import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CATALOGUE } from './catalogue.ts';
import { LaunchRefused } from './launcher.ts';
import { processModule } from './process-module.ts';

const IDS = { workloadId: 'a1', agentId: 'a1', sessionId: 's1', projectId: 'p1' };
const installed = { file: process.execPath, args: ['-e', 'console.log("hello")'] };
const host = {
  version: '1.2.3',
  findProgram: (program: string) => (program === 'echo-agent' ? installed : undefined),
};

test('only a role whose program is installed is available, and passes the check', async () => {
  const launcher = processModule.configure({}, true);
  await using check = launcher.openCheck(host);
  const available = CATALOGUE.filter((role) => check.isInstalled(role)).map(({ name }) => name);
  expect(available).toEqual(['echo-agent']);
  const [echo, ...others] = CATALOGUE;
  if (!echo) throw new Error('the catalogue has roles');
  await expect(check.check({ ...IDS, role: echo })).resolves.toBeUndefined();
  for (const role of others) {
    const detail = `The role ${role.name} needs the program ${role.program}, which is not installed. The operator must install it.`;
    const refused = new LaunchRefused({ reason: 'bad_configuration', detail });
    await expect(check.check({ ...IDS, role })).rejects.toThrow(refused);
  }
});

test('a program in AGENT_PROGRAMS_DIR is installed, and the others are as before', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'programs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(path.join(folder, 'light-agent/dist'), { recursive: true });
  await writeFile(path.join(folder, 'light-agent/dist/main.js'), '');
  const launcher = processModule.configure({ AGENT_PROGRAMS_DIR: folder }, true);
  await using check = launcher.openCheck(host);
  const available = CATALOGUE.filter((role) => check.isInstalled(role)).map(({ name }) => name);
  expect(available.toSorted()).toEqual(['echo-agent', 'light-agent']);
});

test('an opened launcher runs agents, and records them in AGENT_PROCESS_DIR until it is disposed of', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'agents-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const configured = processModule.configure({ AGENT_PROCESS_DIR: folder }, true);
  expect(await readdir(folder)).toEqual([]);
  const times = { maxDurationMs: 60_000, shutdownGraceMs: 1000 };
  const opened = await configured.open({
    ...host,
    ...times,
    processId: 'o1',
    onFailure: (error) => expect(error).toBeUndefined(),
    onWarning: (message) => expect(message).toBeUndefined(),
  });
  expect(opened.deadProcessIds).toEqual([]);
  expect(await readdir(folder)).toContain('o1.json');
  const [role] = CATALOGUE;
  if (!role) throw new Error('the catalogue has roles');
  await opened.launcher.start({ ...IDS, role, templateVariables: {}, env: {} });
  const lines: string[] = [];
  for await (const { line } of opened.launcher.logs('a1', { follow: true })) lines.push(line);
  expect(lines).toEqual(['hello']);
  await opened[Symbol.asyncDispose]();
  expect(await readdir(folder)).not.toContain('o1.json');
});
