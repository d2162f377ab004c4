import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { tempFolder } from '../../testing/recorder-process.ts';
import { lockFolder } from './folder-lock.ts';

const never = new AbortController().signal;

/** Returns a log, and its lines for a test to read. */
function createLog() {
  const lines: unknown[][] = [];
  return { lines, ...logTo((...line) => void lines.push(line)) };
}

test('a folder is used by one process: the next one logs at once that it waits, and ends with a StartError that names the folder', async () => {
  await using temp = await tempFolder();
  const log = createLog();
  await using first = await lockFolder(temp.folder, { log, stop: never });
  expect([first !== undefined, log.lines.length]).toEqual([true, 0]);
  const second = lockFolder(temp.folder, { log, waitMs: 100, stop: never });
  await expect(second).rejects.toThrow(StartError);
  await expect(second).rejects.toThrow(temp.folder);
  expect(log.lines).toHaveLength(1);
});

test('a process that waits gets the folder when the other process gives it back', async () => {
  await using temp = await tempFolder();
  const log = createLog();
  const first = await lockFolder(temp.folder, { log, stop: never });
  const waiting = lockFolder(temp.folder, { log, stop: never });
  await expect.poll(() => log.lines.length).toBe(1);
  await first?.[Symbol.asyncDispose]();
  await using second = await waiting;
  expect(second).toBeDefined();
});

test('a process that is asked to stop waits no longer, and has not locked the folder', async () => {
  await using temp = await tempFolder();
  const log = createLog();
  const stopping = new AbortController();
  await using first = await lockFolder(temp.folder, { log, stop: never });
  const waiting = lockFolder(temp.folder, { log, stop: stopping.signal });
  stopping.abort();
  expect([first !== undefined, await waiting]).toEqual([true, undefined]);
});

test('kill -9 frees the folder at once', async () => {
  await using temp = await tempFolder();
  const module = JSON.stringify(new URL('folder-lock.ts', import.meta.url).href);
  const program = `
    const { lockFolder } = await import(${module});
    const stop = new AbortController().signal;
    globalThis.lock = await lockFolder(${JSON.stringify(temp.folder)}, { log: console, stop });
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const args = ['--conditions=@source', '--input-type=module', '--eval', program];
  const cwd = path.dirname(fileURLToPath(import.meta.url));
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const log = createLog();
  const refused = lockFolder(temp.folder, { log, waitMs: 10, stop: never });
  await expect(refused).rejects.toThrow(StartError);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  await using lock = await lockFolder(temp.folder, { log, waitMs: 10, stop: never });
  expect([lock !== undefined, log.lines.length]).toEqual([true, 1]);
});

test('a StartError when the folder is none', async () => {
  await using temp = await tempFolder();
  const file = path.join(temp.folder, 'file');
  await writeFile(file, '');
  const locking = lockFolder(file, { log: createLog(), stop: never });
  await expect(locking).rejects.toThrow('RECORDER_SPOOL_DIR');
});
