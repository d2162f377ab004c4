import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { RUN_FOLDER, removeFolder } from './run-folder.ts';

const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

/** Returns a folder that is removed at the end of the test. */
export async function makeRunFolder(name: string): Promise<string> {
  const folder = path.join(RUN_FOLDER, name);
  await mkdir(folder);
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/**
 * Runs a program of this folder with a network, mounts and processes of its own, and returns the content of its `result.json`.
 * Throws with its output when it fails. No process of it is left.
 */
export async function runInNamespaces(
  program: 'cluster-run' | 'compose-run',
  settings: { readonly folder: string; readonly program: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<unknown> {
  const file = path.join(import.meta.dirname, `${program}.ts`);
  const node = [process.execPath, '--conditions=@source', file, JSON.stringify(settings)];
  const child = spawn('unshare', [...NAMESPACES, ...node], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [exit, output] = [once(child, 'exit'), text(child.stderr)];
  // unshare ignores SIGTERM while its child runs. Its pipe closes when the last process of the namespace has ended.
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await Promise.all([exit, output]);
  });
  const [[code], said] = await Promise.all([exit, output]);
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${said}`);
  return JSON.parse(await readFile(path.join(settings.folder, 'result.json'), 'utf8'));
}
