import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { identify } from '@session/kit';
import { expect, onTestFinished, test } from 'vitest';
import { writeJson } from './json-file.ts';

const claimant = path.join(import.meta.dirname, '../../testing/claimant.ts');

test('of two starts after a kill -9 one owns the folder, and what still ran is stopped', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'claims-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (let round = 0; round < 8; round += 1) {
    const file = path.join(folder, `${round}.json`);
    const left = spawn('sleep', ['60']);
    onTestFinished(() => void left.kill('SIGKILL'));
    const stop = { signal: 'SIGTERM', patienceMs: 5000 };
    const supervisor = { pid: 1, started: 'long ago', stop };
    await writeJson(file, {
      supervisor,
      part: { ...(await identify(left.pid ?? 0)), stop },
    });

    const both = await Promise.all([startClaimant(file), startClaimant(file)]);
    const answers = await Promise.all(both.map((child) => ask(child)));
    expect(new Set(answers)).toEqual(new Set(['other', 'owner']));
    expect(await identify(left.pid ?? 0)).toBeUndefined();
    await Promise.all(both.map((child) => end(child)));
  }
});

async function startClaimant(file: string): Promise<ChildProcess> {
  const child = fork(claimant, [file], { execArgv: ['--conditions=@source'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess): Promise<unknown> {
  const answer = once(child, 'message');
  child.send('claim');
  const [said] = await answer;
  return said;
}

async function end(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}
