import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { processesOf } from '../../testing/images/processes-of.ts';
import { makeRunFolder } from '../../testing/images/run-in-namespaces.ts';

const script = path.resolve(import.meta.dirname, '../../../docker/make-base.sh');

test.each(['SIGTERM', 'SIGHUP'] as const)(
  'make-base.sh that is ended by %s in the middle leaves no process, no mount and no file',
  async (signal) => {
    const folder = path.join(await makeRunFolder('make-base'), 'bases');
    await mkdir(folder);
    const child = spawn(script, [folder, process.execPath], { stdio: 'ignore' });
    const exit = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    // Debian's own programs run when its folders are there.
    await expect
      .poll(() => Array.fromAsync(glob(`${folder}/work.*/runtime/var/lib/dpkg`)), {
        timeout: 120_000,
      })
      .toHaveLength(1);
    expect(await processesOf(folder)).not.toEqual([]);
    child.kill(signal);
    expect(await exit).toEqual([1, null]);
    await expect.poll(() => processesOf(folder)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(folder);
  },
);
