import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { identify, type ProcessIdentity, StartError } from '@session/kit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ProcessRecords } from './process-records.ts';

test('the records of an owner are a private file that goes with the owner', async () => {
  const folder = path.join(await makeFolder(), 'records');
  const records = await ProcessRecords.open(folder, 'o1', unexpected);
  const file = path.join(folder, 'o1.json');
  const [folderMode, fileMode] = [(await stat(folder)).mode, (await stat(file)).mode];
  expect([folderMode & 0o777, fileMode & 0o777]).toEqual([0o700, 0o600]);
  records.add('a1', { pid: 7, started: 'x' });
  records.add('a2', { pid: 8, started: 'y' });
  records.remove('a1');
  records.remove('never added');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    owner: await identify(process.pid),
    agents: { a2: { pid: 8, started: 'y' } },
  });
  records[Symbol.dispose]();
  expect(await readdir(folder)).toEqual([]);
});

test('an agent of a dead owner is ended, and its owner is named', async () => {
  const folder = await makeFolder();
  const agent = await startProcess();
  await writeRecords(folder, 'dead', { owner: gone(agent), agents: { a1: agent } });
  using records = await ProcessRecords.open(folder, 'o1', unexpected);
  expect(records.deadProcessIds).toEqual(['dead']);
  expect(await identify(agent.pid)).toBeUndefined();
  expect(await readdir(folder)).toEqual(['o1.json']);
});

test('a process that got the pid of a dead agent is not touched', async () => {
  const folder = await makeFolder();
  const { child, identity: stranger } = await startChild();
  await writeRecords(folder, 'dead', { owner: gone(stranger), agents: { a1: gone(stranger) } });
  using records = await ProcessRecords.open(folder, 'o1', unexpected);
  expect(records.deadProcessIds).toEqual(['dead']);
  child.kill('SIGTERM');
  // A process that was killed just now answers nothing, although it may still be listed.
  expect(await Promise.race([once(child.stdout, 'data').then(String), once(child, 'exit')])).toBe(
    'up\n',
  );
});

test('the agents of a live owner are not touched', async () => {
  const folder = await makeFolder();
  const [owner, agent] = [await startProcess(), await startProcess()];
  await writeRecords(folder, 'live', { owner, agents: { a1: agent } });
  using records = await ProcessRecords.open(folder, 'o1', unexpected);
  expect(records.deadProcessIds).toEqual([]);
  expect(await identify(agent.pid)).toEqual(agent);
  expect((await readdir(folder)).toSorted()).toEqual(['live.json', 'o1.json']);
});

test('several owners that start at once sweep a dead one together', async () => {
  const folder = await makeFolder();
  const agent = await startProcess();
  await writeRecords(folder, 'dead', { owner: gone(agent), agents: { a1: agent } });
  const opened = await Promise.all(
    ['o1', 'o2', 'o3'].map((id) => ProcessRecords.open(folder, id, unexpected)),
  );
  expect(opened.flatMap(({ deadProcessIds }) => deadProcessIds)).toContain('dead');
  expect((await readdir(folder)).toSorted()).toEqual(['o1.json', 'o2.json', 'o3.json']);
  expect(await identify(agent.pid)).toBeUndefined();
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"result":[]}',
  '{"owner":{"pid":"1","started":"x"},"agents":{}}',
])(
  'a file that contains “%s” is set aside and reported, and the start goes on',
  async (content) => {
    const folder = await makeFolder();
    await writeFile(path.join(folder, 'faulty.json'), content);
    await writeRecords(folder, 'dead', { owner: { pid: 1, started: 'never' }, agents: {} });
    const messages: string[] = [];
    using records = await ProcessRecords.open(folder, 'o1', (message) => messages.push(message));
    expect(records.deadProcessIds).toEqual(['dead']);
    expect(messages).toEqual([expect.stringContaining(path.join(folder, 'faulty.json'))]);
    expect((await readdir(folder)).toSorted()).toEqual(['faulty.json.unreadable', 'o1.json']);
    expect(await readFile(path.join(folder, 'faulty.json.unreadable'), 'utf8')).toBe(content);
  },
);

test('an unfinished draft of a record file is ignored', async () => {
  const folder = await makeFolder();
  await writeFile(path.join(folder, 'dead.json.draft'), '{"owner":');
  using records = await ProcessRecords.open(folder, 'o1', unexpected);
  expect(records.deadProcessIds).toEqual([]);
});

// Only root can give a folder away.
test.skipIf(process.getuid?.() !== 0)(
  'a start is refused by a folder of another user, whose files could name any process',
  async () => {
    const folder = await makeFolder();
    await chown(folder, 12_345, 12_345);
    await expect(ProcessRecords.open(folder, 'o1', unexpected)).rejects.toThrow(
      new StartError(
        `${folder} belongs to another user: remove it, or set AGENT_PROCESS_DIR to another folder.`,
      ),
    );
  },
);

test('a folder that cannot be written to fails an addition, but only warns of a removal', async () => {
  const folder = path.join(await makeFolder(), 'records');
  const records = await ProcessRecords.open(folder, 'o1', unexpected);
  records.add('a1', { pid: 7, started: 'x' });
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file instead of the folder');
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => emitWarning.mockRestore());
  expect(() => records.add('a2', { pid: 8, started: 'y' })).toThrow(folder);
  expect(() => records.remove('a1')).not.toThrow();
  expect(emitWarning.mock.calls).toEqual([
    [expect.stringContaining('writing records of agent processes failed')],
  ]);
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'records-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

function unexpected(message: string): never {
  throw new Error(message);
}

interface Records {
  readonly owner: ProcessIdentity;
  readonly agents: Readonly<Record<string, ProcessIdentity>>;
}

async function writeRecords(folder: string, processId: string, records: Records): Promise<void> {
  await writeFile(path.join(folder, `${processId}.json`), JSON.stringify(records));
}

/** Returns the identity of an earlier process with the same pid, which has ended. */
function gone({ pid }: ProcessIdentity): ProcessIdentity {
  return { pid, started: 'an earlier start' };
}

/** Starts a process that leads a process group, as agents do, and ignores SIGTERM. */
async function startProcess(): Promise<ProcessIdentity> {
  return (await startChild()).identity;
}

/** Starts a process that answers SIGTERM instead of ending. */
async function startChild() {
  const say = '() => console.log("up")';
  const script = `setInterval(() => {}, 1000); process.on("SIGTERM", ${say}); (${say})();`;
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  });
  await once(child.stdout, 'data');
  const identity = await identify(child.pid ?? 0);
  if (!identity) throw new Error('the process runs');
  return { child, identity };
}
