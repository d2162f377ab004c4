import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processesOf } from '../../testing/images/processes-of.ts';
import { runAlone } from '../../testing/images/run-alone.ts';
import { makeRunFolder } from '../../testing/images/run-in-namespaces.ts';

/** Leaves a process behind that does not end with it, and ends at the end of its standard input. */
const PROGRAM = `
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
const args = ['--eval', 'setInterval(() => {}, 1000)', process.argv[2]];
spawn(process.execPath, args, { detached: true, stdio: 'ignore' }).unref();
readFileSync(0);
`;

test.each(['stopped', 'killed'])(
  'a run that is %s leaves no process, and the one that waited for it begins',
  async (how) => {
    const folder = await makeRunFolder('alone');
    const [program, lock] = [path.join(folder, 'program.mjs'), path.join(folder, 'lock')];
    await writeFile(program, PROGRAM);
    const said: string[] = [];
    const start = (name: string) => {
      const end = new AbortController();
      onTestFinished(() => end.abort());
      const options = { stop: end.signal, say: (line: string) => said.push(line), lock };
      const mark = path.join(folder, name);
      return { end, mark, code: runAlone(program, [mark], options) };
    };
    const first = start('first');
    // The namespace, its first process, and what that one left.
    await expect.poll(() => processesOf(first.mark)).toHaveLength(3);
    const second = start('second');
    await expect.poll(() => said).toEqual([expect.stringContaining('Waiting')]);
    if (how === 'stopped') first.end.abort();
    else process.kill(Math.max(...(await processesOf(`${program}\0${first.mark}`))), 'SIGKILL');
    expect(await first.code).toBe(how === 'stopped' ? 0 : 1);
    await expect.poll(() => processesOf(first.mark)).toEqual([]);
    await expect.poll(() => processesOf(second.mark)).toHaveLength(3);
    second.end.abort();
    expect(await second.code).toBe(0);
  },
);
